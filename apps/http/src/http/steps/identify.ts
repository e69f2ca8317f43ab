/** Assigns each request its trace and its identifier. The response returns the identifier as `X-Request-Id`. */
import { headerLines } from "@petstore/bounded-http"
import { requestIdFrom, traceHeaders, traceIdOf } from "../request/request-id.js"
import type { Step } from "../service-koa.js"

export const identify: Step = (exchange, next) => {
  const { headers } = exchange.req
  exchange.requestId = requestIdFrom(headers["x-request-id"])
  const { traceparent } = headers
  // If tracing is on, it has already replaced the client's span with its own.
  if (traceparent !== undefined && exchange.traceId === undefined) {
    exchange.traceId = traceIdOf(traceparent)
    exchange.addHeaders(headerLines(traceHeaders(traceparent)))
  }
  return next()
}
