/** Observers of calls, for logs and metrics. */
import type { PetstoreError } from "./errors.js"

/** A request that a call sent, without secrets. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** `X-Request-Id`, which is the same for all requests of a call and appears in the service's logs. */
  readonly requestId: string
  /** 1 for the first request of a call. */
  readonly attempt: number
}

/** A response to a request, whether a success or a failure. */
export interface ReceivedResponse extends SentRequest {
  readonly status: number
  /** The time from the request to the end of the response, in ms. */
  readonly durationMillis: number
}

/** A failed request, and the wait before the next attempt. */
export interface Retry extends SentRequest {
  readonly code: PetstoreError["code"]
  /** The time from the request to its failure, in ms. */
  readonly durationMillis: number
  readonly waitMillis: number
}

/** The end of a call. */
export interface EndedCall extends Omit<SentRequest, "attempt"> {
  /** How many requests were sent. */
  readonly attempts: number
  /** The time of the whole call, including waits, in ms. */
  readonly durationMillis: number
  /** The error with which the call rejects. `undefined` if the call succeeded. */
  readonly error: PetstoreError | undefined
}

/**
 * Functions that the client calls during a call. If one of them throws, the call rejects with that error, even if the service has
 * completed the request.
 */
export interface Observers {
  /** Called before each request. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
  /** Called after each response. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined
  /** Called before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Called once for each call that sent a request or was aborted, when it succeeds or fails. */
  readonly onEnd?: ((call: EndedCall) => void) | undefined
}
