/** The messages between the primary and its workers. They arrive in the order in which they were sent, connections included. */
import type { RateLimiterRes } from "rate-limiter-flexible"
import type { AnyErrorObject } from "../http/error-response.js"
import type { MetricsSnapshot } from "../telemetry/metrics.js"

/** The command of the command line that a worker runs. It is for the primary only. */
export const workerCommand = "worker"

/** `replace`: another worker has taken the place of this one. `stop`: the service stops. */
export type Instruction = "replace" | "stop"

/** How often a key was used in its window. */
type RateState = ReturnType<RateLimiterRes["toJSON"]>

/**
 * From a worker.
 *
 * - `ready`: it serves
 * - `checked`: why it should get no requests, if so
 * - `failed`: it could not start
 * - `taken`: it has received a connection
 * - `asked`: every connection up to this number that it did not take was lost
 * - `leaving`: it stops, but not by order of the primary
 * - `count`: a request of an API key
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
 * From the primary. `connection` comes with a socket. `ask`: the worker acknowledges the connections that it has taken, then
 * sends `asked`.
 */
export type PrimaryMessage =
  | { readonly petstore: "connection"; readonly number: number }
  | { readonly petstore: "ask"; readonly upTo: number }
  | { readonly petstore: "instruction"; readonly instruction: Instruction }
  | { readonly petstore: "measure" }
  | { readonly petstore: "check" }
  | { readonly petstore: "counted"; readonly question: number; readonly isAllowed: boolean; readonly state: RateState }

const isOurs = (value: unknown): value is { readonly petstore: unknown } =>
  typeof value === "object" && value !== null && "petstore" in value

// Safe: both ends are this program, and only messages of this file carry the mark `petstore`.
export const workerMessage = (value: unknown): WorkerMessage | undefined => (isOurs(value) ? (value as WorkerMessage) : undefined)

/** As above, for the other direction. */
export const primaryMessage = (value: unknown): PrimaryMessage | undefined =>
  isOurs(value) ? (value as PrimaryMessage) : undefined
