/** An identifier for each request: the caller's if it is well formed, else one of ours. Every answer carries it as `X-Request-Id`. */
import { randomUUID } from "node:crypto"
import type { Middleware } from "koa"

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

/** Header of the request and of its answer. */
export const requestIdHeader = "X-Request-Id"

/** The identifier of a request, given the header it came with. */
export const requestIdFrom = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" && wellFormed.test(header) ? header : randomUUID()

export const requestId: Middleware = (ctx, next) => {
  ctx.state["requestId"] = requestIdFrom(ctx.req.headers["x-request-id"])
  return next()
}
