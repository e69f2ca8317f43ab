/** Lets pages of named origins call the API from a browser (specification, section 13; https://fetch.spec.whatwg.org/#http-cors-protocol). */
import type { Middleware } from "koa"
import type { OriginHeaders } from "../refusal.js"
import { requestIdHeader } from "./request-id.js"

/** Headers that a page may send beyond those that every page may. */
const allowedHeaders = ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "X-Request-Id"].join(", ")

/** Headers of an answer that a page may read beyond those that every page may. */
const exposedHeaders = [
  "Link",
  "Location",
  "ETag",
  "X-Request-Id",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Deprecation",
  "Sunset",
].join(", ")

/** How long a browser may remember a preflight, in s. */
const preflightSeconds = 600

/** The headers of an answer to an origin, whatever it is. Caches must know that another origin gets another answer, this one without an origin included. */
export const originHeaders = (origins: ReadonlyArray<string>): OriginHeaders => {
  if (origins.length === 0) return () => []
  const named = new Set(origins)
  return (origin) => [
    ...["Vary", "Origin"],
    ...(origin !== undefined && named.has(origin)
      ? ["Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", exposedHeaders]
      : []),
  ]
}

/**
 * @param origins  origins whose pages may call; at least one
 * @param allowOf  the methods of a path, as an `Allow` header names them; `undefined` if nothing is served there
 */
export const cors = (origins: ReadonlyArray<string>, allowOf: (path: string) => string | undefined): Middleware => {
  const named = new Set(origins)
  return (ctx, next) => {
    const { origin } = ctx.req.headers
    // Caches must know that another origin gets another answer, this one without an origin included.
    ctx.set("Vary", "Origin")
    if (origin === undefined || !named.has(origin)) return next()
    ctx.set("Access-Control-Allow-Origin", origin)
    const isPreflight = ctx.method === "OPTIONS" && ctx.req.headers["access-control-request-method"] !== undefined
    if (!isPreflight) {
      ctx.set("Access-Control-Expose-Headers", exposedHeaders)
      return next()
    }
    ctx.respond = false
    ctx.res.writeHead(204, [
      requestIdHeader,
      ctx.state["requestId"],
      "Access-Control-Allow-Methods",
      allowOf(ctx.path) ?? "OPTIONS",
      "Access-Control-Allow-Headers",
      allowedHeaders,
      "Access-Control-Max-Age",
      String(preflightSeconds),
    ])
    ctx.res.end()
    return undefined
  }
}
