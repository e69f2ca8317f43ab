/** What watches requests, and what it sees of one. No header and no body: what a client sends stays out of logs and metrics. */

/** A request that has ended. */
export interface ObservedRequest {
  /** Empty only if the service broke before it gave one. */
  readonly requestId: string
  /** Whose key it was, if it was accepted. */
  readonly apiKey: { readonly id: string; readonly accountId: string } | undefined
  /** The operation that it asked for, whether it was allowed to or not: one of a handful, whatever callers ask for. */
  readonly operation: string
  readonly isDeprecated: boolean
  readonly method: string
  /** Without the query. What a client wrote: it may hold anything. */
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
