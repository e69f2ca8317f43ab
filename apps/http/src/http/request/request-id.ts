/** The identifier of a request: the client's if it is well formed, else one of ours. And the trace that a request names. */
import { randomBytes } from "node:crypto"
import { containsApiKey } from "@petstore/core/internal"
import type { HeaderList } from "../exchange.js"

/** Of this process, and of no other. */
const prefix = randomBytes(8).toString("hex")
let requests = 0

/** An identifier that no other request has, of this process or another: a number costs less than chance. */
const nextRequestId = (): string => {
  requests += 1
  return `${prefix}-${requests}`
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/** The identifier of a request, given the header it came with. An API key in it is not taken: it would reach the log. */
export const requestIdFrom = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" && wellFormed.test(header) && !containsApiKey(header) ? header : nextRequestId()

/**
 * W3C Trace Context §3.2.2: version, trace-id, parent-id, flags. Version ff and identifiers of zeros are invalid, and only
 * later versions than 00 append. It comes back in a head: no line break.
 */
const traceparentForm = /^(?!ff)(?!00-.{52}-)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]*)?$/

/** The trace that a `traceparent` header names. One that is malformed or shows an API key is ignored whole. */
export const traceIdOf = (header: unknown): string | undefined =>
  typeof header === "string" && !containsApiKey(header) ? traceparentForm.exec(header)?.[1] : undefined

/** The response names the trace again. */
export const traceHeaders = (traceparent: unknown): HeaderList =>
  traceIdOf(traceparent) === undefined ? [] : ["traceparent", String(traceparent)]
