/** Lets pages from listed origins call the API (specification, section 13; https://fetch.spec.whatwg.org/#http-cors-protocol). */
import { type HeaderList, headerLines } from "@petstore/bounded-http"
import type { OriginHeaders } from "../refusal.js"
import { sendEmpty } from "../response/send.js"
import type { Step } from "../service-koa.js"

/** Request headers that a page may send, in addition to the CORS-safelisted ones. */
const allowedHeaders =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent, tracestate, baggage"

/** Response headers that a page may read, in addition to the CORS-safelisted ones. */
const exposedHeaders =
  "Link, Location, ETag, Idempotent-Replayed, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, WWW-Authenticate"

/** How long a browser may cache a preflight response, in s. */
const preflightSeconds = 600

/** Tells caches that the response depends on the origin, even if the request had none. */
const varies: HeaderList = ["Vary", "Origin"]

/** Returns the CORS headers for each origin, or no headers if `CORS_ORIGINS` is not set. */
export const originHeaders = (origins: ReadonlyArray<string>): OriginHeaders => {
  if (origins.length === 0) return () => []
  const named = new Map(
    origins.map((origin) => [
      origin,
      [...varies, "Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", exposedHeaders],
    ]),
  )
  return (origin) => (origin === undefined ? varies : (named.get(origin) ?? varies))
}

/** Adds the CORS headers to every response, and responds to preflights from the listed origins before keys are checked. */
export const cors = (origins: ReadonlyArray<string>): Step => {
  const headersOf = originHeaders(origins)
  return (exchange, next) => {
    const { headers } = exchange.req
    const added = headersOf(headers.origin)
    exchange.addHeaders(headerLines(added))
    const isPreflight = exchange.method === "OPTIONS" && headers["access-control-request-method"] !== undefined
    if (!isPreflight || added === varies) return next()
    return sendEmpty(exchange, 204, [
      "Access-Control-Allow-Methods",
      exchange.resource.allow,
      "Access-Control-Allow-Headers",
      allowedHeaders,
      "Access-Control-Max-Age",
      String(preflightSeconds),
    ])
  }
}
