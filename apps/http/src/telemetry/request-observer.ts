/** Observes requests. It sees no header and no body, so that these stay out of logs and metrics. */

/** A finished request. */
export interface ObservedRequest {
  /** Empty only if the service failed before it assigned one. */
  readonly requestId: string
  /** The account and key, if the key was accepted. */
  readonly apiKey: { readonly id: string; readonly accountId: string } | undefined
  /** The operation of the request, allowed or not: one of a fixed list. */
  readonly operation: string
  readonly isDeprecated: boolean
  readonly method: string
  /** Without the query. The client wrote it, so it may hold anything. */
  readonly path: string
  readonly status: number
  readonly durationMillis: number
  readonly bodyBytes: number
  /** Whether the whole response was handed to the network. If not, the client disconnected before, and `status` is meaningless. */
  readonly isAnswered: boolean
  /** The trace that the request belongs to (W3C Trace Context §3.2.2.3), if it named one or tracing is on. */
  readonly traceId: string | undefined
}

export interface RequestObserver {
  readonly started: () => void
  readonly ended: (request: ObservedRequest) => void
}
