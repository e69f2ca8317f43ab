import type { Signal } from "./platform.js"

/** The limits of one call. Absent limits fall back to the client's, whose defaults are below. */
export interface CallOptions {
  /** Ends the call, both between and during requests. */
  readonly signal?: Signal | undefined
  /** The maximum duration of the entire call, in ms, including retries and waits. 30000 if absent. */
  readonly timeout?: number | undefined
  /** The maximum duration of one request, in ms. A request that takes longer counts as lost and is repeated. 10000 if absent. */
  readonly attemptTimeout?: number | undefined
  /** The maximum number of requests after the first. 0 turns retries off. 5 if absent. */
  readonly maxRetries?: number | undefined
  /**
   * More headers for the requests, such as `traceparent`, or an `X-Request-Id` of your own. A call's headers are added to those of
   * the client. Headers that the client sets itself are refused. In a web page, the service must allow them for the page's origin.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Options for a change. If a change has an unknown outcome, the client repeats it only if it is unconditional or a removal. */
export interface ChangeOptions extends CallOptions {
  /**
   * Changes the item only if its `ETag` is one of these entity tags: the `etag` of a result. With `"*"`, changes the item only
   * if it exists. Otherwise the call fails with `precondition_failed`. If the `etag` is `undefined`, the call fails with
   * `missing_etag` and sends nothing, because the change would not have a condition.
   */
  readonly ifMatch?: string | undefined
  /**
   * Changes the item only if its `ETag` is not one of these entity tags. With `"*"`, changes the item only if it does not exist.
   * Otherwise the call fails with `precondition_failed`.
   */
  readonly ifNoneMatch?: string | undefined
}

/** Options for createPet and orders.create. */
export interface CreateOptions extends CallOptions {
  /**
   * A key of your choice for this request: 1 to 255 visible ASCII characters, without quotes. If you store the key with your
   * data, you can safely repeat the call for 24 hours, even after a crash. If absent, the client creates a key for each call.
   */
  readonly idempotencyKey?: string | undefined
}
