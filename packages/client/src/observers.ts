/** What a program may watch of its calls: for a log, for metrics, for the request identifier of a success. */
import type { PetstoreError } from "./errors.js"

/** A request of a call. It holds no secret. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** `X-Request-Id`: the same for all requests of a call, and in every log of the service. */
  readonly requestId: string
  /** 1 for the first request of a call. */
  readonly attempt: number
}

/** A response to a request, whether it tells of a success or of a failure. */
export interface ReceivedResponse extends SentRequest {
  readonly status: number
}

/** A request that failed, and after which wait it is sent again. */
export interface Retry extends SentRequest {
  readonly code: PetstoreError["code"]
  readonly waitMillis: number
}

/** Functions that are called as a call goes on. A call rejects with what they throw, even if the service has carried it out. */
export interface Observers {
  /** Before each request. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
  /** After each response. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined
  /** Before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}
