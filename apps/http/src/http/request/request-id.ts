/** A request's identifier (the client's if it is well formed, otherwise a new one) and its trace. */
import { randomBytes } from "node:crypto"
import type { HeaderList } from "@petstore/bounded-http"
import { containsApiKey } from "@petstore/core/internal"

/** Unique to this process. */
const prefix = `${randomBytes(8).toString("hex")}-`
let requests = 0

/** An identifier that is unique across all processes. Counting takes less time than generating random numbers. */
const nextRequestId = (): string => {
  requests += 1
  return `${prefix}${requests}`
}

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/** The identifier of a request with this header. A header that contains an API key is ignored, because it would be logged. */
export const requestIdFrom = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" && wellFormed.test(header) && !containsApiKey(header) ? header : nextRequestId()

/**
 * W3C Trace Context §3.2.2: version, trace-id, parent-id, flags. Version ff and all-zero identifiers are invalid, and only
 * versions later than 00 append fields. The response repeats the header, so it must not contain a line break.
 */
const traceparentForm = /^(?!ff)(?!00-.{52}-)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]*)?$/

/** The trace in a `traceparent` header. A header that is malformed or contains an API key is ignored. */
export const traceIdOf = (header: unknown): string | undefined =>
  typeof header === "string" && !containsApiKey(header) ? traceparentForm.exec(header)?.[1] : undefined

/** The response repeats a valid `traceparent` header. */
export const traceHeaders = (traceparent: unknown): HeaderList =>
  traceIdOf(traceparent) === undefined ? [] : ["traceparent", String(traceparent)]
