/** Observers of calls: for a log, for metrics, for the request identifier of a success. */
import type { PetstoreError } from "./errors.js"

/** A request of a call, without secrets. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** `X-Request-Id`: the same for all requests of a call, and in every log of the service. */
  readonly requestId: string
  /** 1 for the first request of a call. */
  readonly attempt: number
}

/** A response to a request, of a success or a failure. */
export interface ReceivedResponse extends SentRequest {
  readonly status: number
}

/** A failed request, and the wait before the next attempt. */
export interface Retry extends SentRequest {
  readonly code: PetstoreError["code"]
  readonly waitMillis: number
}

/** Functions that are called during a call. A call rejects with what they throw, even if the service has completed it. */
export interface Observers {
  /** Before each request. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
  /** After each response. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined
  /** Before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}
