/** The messages between the primary and its workers. They arrive in the order in which they are sent, connections included. */
import type { RateLimiterRes } from "rate-limiter-flexible"
import type { AnyErrorObject } from "../http/error-response.js"
import type { MetricsSnapshot } from "../telemetry/metrics.js"

/** The command that a worker runs. Only the primary uses it. */
export const workerCommand = "worker"

/** `replace`: another worker has taken this one's place. `stop`: the service stops. */
export type Instruction = "replace" | "stop"

/** How often a key has been used in its window. */
type RateState = ReturnType<RateLimiterRes["toJSON"]>

/**
 * A message from a worker:
 *
 * - `ready`: it serves; `failed`: it could not start
 * - `checked`: why it should get no requests, if it is not ready for them
 * - `measured`: its metrics
 * - `taken`: it has received a connection
 * - `asked`: it has lost every connection up to this number that it did not take
 * - `leaving`: it is stopping, but not on the primary's order
 * - `count`: it has a request with an API key
 */
export type WorkerMessage =
  | { readonly petstore: "ready" }
  | { readonly petstore: "failed"; readonly reason: string }
  | { readonly petstore: "taken"; readonly number: number }
  | { readonly petstore: "asked"; readonly upTo: number }
  | { readonly petstore: "leaving" }
  | { readonly petstore: "checked"; readonly failure: AnyErrorObject | undefined }
  | { readonly petstore: "measured"; readonly snapshot: MetricsSnapshot }
  | { readonly petstore: "count"; readonly question: number; readonly keyId: string }

/**
 * A message from the primary. `connection` comes with a socket. On `ask`, the worker acknowledges the connections that it has
 * taken, then sends `asked`. `sentAt` is in ms since 1970: an instruction behind many connections arrives late. A primary of an
 * older release does not send `sentAt`.
 */
export type PrimaryMessage =
  | { readonly petstore: "connection"; readonly number: number }
  | { readonly petstore: "ask"; readonly upTo: number }
  | { readonly petstore: "instruction"; readonly instruction: Instruction; readonly sentAt?: number }
  | { readonly petstore: "measure" }
  | { readonly petstore: "check" }
  | { readonly petstore: "counted"; readonly question: number; readonly isAllowed: boolean; readonly state: RateState }

const isOurs = (value: unknown): value is { readonly petstore: unknown } =>
  typeof value === "object" && value !== null && "petstore" in value

// Safe: both ends are this program, and only messages in this file have the member `petstore`.
export const workerMessage = (value: unknown): WorkerMessage | undefined => (isOurs(value) ? (value as WorkerMessage) : undefined)

export const primaryMessage = (value: unknown): PrimaryMessage | undefined =>
  isOurs(value) ? (value as PrimaryMessage) : undefined
