/** Observes requests. An observer sees neither headers nor bodies, so that these stay out of logs and metrics. */

export interface ObservedRequest {
  /** Empty only if the service failed before it assigned an identifier. */
  readonly requestId: string
  /** The account and key, if the key was accepted. */
  readonly apiKey: { readonly id: string; readonly accountId: string } | undefined
  /** The name of the request's operation, from a fixed list, even if the request was refused. */
  readonly operation: string
  readonly isDeprecated: boolean
  /** The identifier of what a creation made. */
  readonly made?: bigint | undefined
  readonly method: string
  /** The path without the query. The client wrote it, so it can contain anything. */
  readonly path: string
  readonly status: number
  /** Without the time that the request waited for changes. */
  readonly durationMillis: number
  readonly bodyBytes: number
  /** Whether the whole response was handed to the network. If not, the connection closed first, and `status` is meaningless. */
  readonly isAnswered: boolean
  /** The request's trace (W3C Trace Context §3.2.2.3), if the client named one or tracing is on. */
  readonly traceId: string | undefined
  /** The client that a proxy has named, or the peer. */
  readonly clientAddress: string | undefined
}

export interface RequestObserver {
  readonly started: () => void
  readonly ended: (request: ObservedRequest) => void
}
