/** The options of one call. */
import type { Signal } from "./platform.js"

/** Limits of one call; each of them falls back to the client's. */
export interface CallOptions {
  /** Ends the call, between and during requests. */
  readonly signal?: Signal | undefined
  /** The whole call takes at most this long, in ms, retries and waits included. 30000 if absent. */
  readonly timeout?: number | undefined
  /** One request takes at most this long, in ms; then it counts as lost and is repeated. 10000 if absent. */
  readonly attemptTimeout?: number | undefined
  /** At most this many requests after the first; 0 turns retries off. 5 if absent. */
  readonly maxRetries?: number | undefined
}

/** Options of a change. A change with a condition is not repeated after a failure with an unknown outcome. */
export interface ChangeOptions extends CallOptions {
  /** Entity tags: change it only if its `ETag` is one of them, as `etagOf` gives it; `"*"`: only if it exists. Otherwise `precondition_failed`. */
  readonly ifMatch?: string | undefined
  /** Entity tags: change it only if its `ETag` is not one of them; `"*"`: only if it does not exist. Otherwise `precondition_failed`. */
  readonly ifNoneMatch?: string | undefined
}

/** Options of createPet and of orders.create. */
export interface CreateOptions extends CallOptions {
  /**
   * Your own name for this creation: 1 to 255 visible ASCII characters, no quotes. Keep it with your data, and you can repeat the
   * call for 24 hours, even after a crash. If absent, the client creates one for each call.
   */
  readonly idempotencyKey?: string | undefined
}
