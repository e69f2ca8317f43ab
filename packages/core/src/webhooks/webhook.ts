/** Endpoints of other programs that are told of changes, by the Standard Webhooks specification (specification, section 17). */

import type { ChangePlace } from "../changes/change.js"
import { type Change, type ChangeOperation, encodeChange } from "../changes/change.js"
import { timestampText } from "../json/timestamp.js"

/** Why a webhook is disabled, if not by the operator. */
export const whyDisabled = {
  gone: "its endpoint responded with 410",
  failing: "its endpoint has taken nothing for five days",
  expired: "changes that it has not got are no longer kept, or the store was replaced",
}

/** Why a webhook is disabled. */
export type WebhookDisabled = "operator" | keyof typeof whyDisabled

/** What the operator sets. @experimental */
export interface WebhookSettings {
  readonly url: string
  /** Only changes by these operations are delivered. Empty: all changes. */
  readonly operations: ReadonlyArray<ChangeOperation>
  /** `whsec_`, and base64. */
  readonly secret: string
  /** The secret before the last rotation, which signs as well until then. */
  readonly former?: { readonly secret: string; readonly untilMillis: number } | undefined
  readonly createdAtMillis: number
}

/** How far the deliveries are. @experimental */
export interface WebhookProgress {
  /** All changes before it have a delivery. Absent: the oldest kept change is next. */
  readonly place?: ChangePlace | undefined
  /** The number of the last delivery. */
  readonly last: number
  /** The number of the delivery that the endpoint has to take before the next change is tried. */
  readonly heldUpBy?: number | undefined
  /** The time of the first failure since the last success. */
  readonly failingSinceMillis?: number | undefined
}

/** An endpoint that is told of changes. @experimental */
export interface Webhook {
  readonly id: string
  readonly settings: WebhookSettings
  readonly progress: WebhookProgress
  readonly disabled?: WebhookDisabled | undefined
  /** The process that delivers. Absent: any process may take the webhook. */
  readonly holder?: string | undefined
  /** Increases with each write. */
  readonly version: number
}

/** A change that was tried: delivered, waiting for another try, or given up. @experimental */
export interface WebhookDelivery {
  /** Unique in the webhook, and in the order of the first tries. */
  readonly number: number
  readonly changeId: string
  readonly payload: string
  readonly tries: number
  /** The status of the last response; 0 if there was no response. */
  readonly status: number
  readonly atMillis: number
  /** When the change is tried again. Absent: never. */
  readonly nextAtMillis?: number | undefined
}

/** How many of the deliveries that an endpoint took remain readable. Those that it did not take remain as well. */
export const deliveriesKept = 100

/** A delivery that was not tried yet. Its payload is the body of Standard Webhooks. */
export const newDelivery = (change: Change, number: number): WebhookDelivery => {
  const payload = `{"type":"${change.operation}","timestamp":"${timestampText(change.at)}","data":${encodeChange(change)}}`
  return { number, changeId: change.id, payload, tries: 0, status: 0, atMillis: 0 }
}

/** Whether the endpoint took a delivery at its last try. */
export const isTaken = ({ status }: WebhookDelivery): boolean => status >= 200 && status < 300
