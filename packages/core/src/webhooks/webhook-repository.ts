import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { Webhook, WebhookDelivery, WebhookDisabled, WebhookProgress } from "./webhook.js"

/** What a deliverer stores after a try. @experimental */
export interface WebhookNote {
  readonly progress: WebhookProgress
  readonly disabled?: WebhookDisabled | undefined
  /** New deliveries, and known ones (by number) with a new outcome. */
  readonly deliveries: ReadonlyArray<WebhookDelivery>
}

/**
 * Keeps webhooks, and who delivers for them: one process holds a webhook, and renews its hold. Another process takes a webhook
 * over if it has seen its version unchanged for long enough by its own clock. From then on, the former holder can note nothing.
 * `@petstore/core/testing` has the contract suite.
 *
 * @experimental
 */
export class WebhookRepository extends Context.Tag("@petstore/core/WebhookRepository")<
  WebhookRepository,
  {
    readonly insert: (webhook: Webhook) => Effect.Effect<void, StorageUnavailable>

    /** Lists all webhooks in the order of their identifiers. */
    readonly list: Effect.Effect<ReadonlyArray<Webhook>, StorageUnavailable>

    /**
     * Replaces settings, progress, whether it is disabled, and the holder. Returns `false`, and changes nothing, if the webhook
     * has another version now. The version of `next` is ignored.
     */
    readonly replace: (seen: Webhook, next: Webhook) => Effect.Effect<boolean, StorageUnavailable>

    /** Removes a webhook and its deliveries. Returns `false` if it does not exist. */
    readonly remove: (id: string) => Effect.Effect<boolean, StorageUnavailable>

    /** Stores the outcome of tries, all of it or nothing. Returns `false`, and stores nothing, if the holder does not hold the webhook. */
    readonly note: (id: string, holder: string, note: WebhookNote) => Effect.Effect<boolean, StorageUnavailable>

    /** Lists the kept deliveries, newest first. */
    readonly deliveries: (id: string) => Effect.Effect<ReadonlyArray<WebhookDelivery>, StorageUnavailable>

    /** The oldest delivery to be tried again at a time, at most one. */
    readonly due: (id: string, nowMillis: number) => Effect.Effect<ReadonlyArray<WebhookDelivery>, StorageUnavailable>

    /**
     * Sets when deliveries are tried again: the last one of a change, or those up to a number that wait for another try.
     * `undefined` gives them up. Returns whether there is such a delivery.
     */
    readonly retime: (
      id: string,
      meant: { readonly changeId: string } | { readonly upTo: number },
      nextAtMillis: number | undefined,
    ) => Effect.Effect<boolean, StorageUnavailable>

    /** Removes the deliveries up to a number, except those that are tried again. */
    readonly prune: (id: string, number: number) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
