/** An identifier for each request: the caller's if it is well formed, else one of ours. Every answer carries it as `X-Request-Id`. */
import { randomBytes } from "node:crypto"
import { showsApiKey } from "@petstore/core"
import type { HeaderList } from "../exchange.js"
import type { Step } from "./step.js"

/** Of this process, and of no other. */
const prefix = randomBytes(8).toString("hex")
let requests = 0

/** An identifier that no other request has, of this process or another: a number costs less than chance. */
const nextRequestId = (): string => {
  requests += 1
  return `${prefix}-${requests}`
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/** The identifier of a request, given the header it came with. An API key that somebody put there is none: it would reach the log. */
export const requestIdFrom = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" && wellFormed.test(header) && !showsApiKey(header) ? header : nextRequestId()

/** W3C Trace Context §3.2.2: version, trace-id, parent-id, flags; later versions may append. It comes back in a head: no line break. */
const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]*)?$/

/** The trace that a `traceparent` header names. */
const traceIdOf = (header: unknown): string | undefined =>
  typeof header === "string" ? traceparentForm.exec(header)?.[1] : undefined

/** Whoever named a trace finds it on the answer. */
export const traceHeaders = (traceparent: unknown): HeaderList =>
  traceIdOf(traceparent) === undefined ? [] : ["traceparent", String(traceparent)]

/** Names the request, and the trace it belongs to. A tracer has put its own span in the place of the caller's already. */
export const identify: Step = (exchange) => {
  const { headers } = exchange.req
  exchange.requestId = requestIdFrom(headers["x-request-id"])
  const { traceparent } = headers
  if (traceparent !== undefined && exchange.traceId === undefined) {
    exchange.traceId = traceIdOf(traceparent)
    exchange.addHeaders(traceHeaders(traceparent))
  }
  return "pass"
}
