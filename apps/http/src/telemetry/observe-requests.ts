/** The one place where requests are watched: who watches gets the facts when a request has ended. Without watchers it is left out. */
import type { Middleware } from "koa"
import { operationOf } from "./operation.js"

/** What is known of a request when it has ended. No header and no body: what a caller sends stays out of logs and metrics. */
interface RequestFacts {
  /** Unset only if the service broke before it gave one. */
  readonly requestId: string | undefined
  /** Whose key it was, if it was accepted. */
  readonly accountId: string | undefined
  readonly keyId: string | undefined
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMillis: number
  /** Bytes that were written for it, head included. */
  readonly bytes: number
  /** Whether the whole answer was handed to the network. If not, the caller left before. */
  readonly isAnswered: boolean
  /** The trace that the request belongs to (W3C Trace Context §3.2.2.3), if it named one or tracing is on. */
  readonly traceId: string | undefined
}

export interface RequestObserver {
  readonly started: () => void
  readonly ended: (facts: RequestFacts) => void
}

/** version, trace-id, parent-id, flags; later versions may append. */
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/

/** The trace that a `traceparent` header names. */
export const traceIdOf = (header: unknown): string | undefined =>
  typeof header === "string" ? traceparent.exec(header)?.[1] : undefined

export const observeRequests =
  (observers: ReadonlyArray<RequestObserver>): Middleware =>
  (ctx, next) => {
    const startedAt = performance.now()
    const { req, res, method, path } = ctx
    const bytesBefore = req.socket.bytesWritten
    for (const { started } of observers) started()
    res.once("close", () => {
      const facts: RequestFacts = {
        requestId: ctx.state["requestId"],
        accountId: ctx.state["apiKey"]?.accountId,
        keyId: ctx.state["apiKey"]?.id,
        operation: operationOf(method, path),
        method,
        path,
        status: res.statusCode,
        durationMillis: Math.round((performance.now() - startedAt) * 1000) / 1000,
        bytes: req.socket.bytesWritten - bytesBefore,
        isAnswered: res.writableFinished,
        traceId: ctx.state["traceId"] ?? traceIdOf(req.headers["traceparent"]),
      }
      for (const { ended } of observers) ended(facts)
    })
    return next()
  }
