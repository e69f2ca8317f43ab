/** Judges path and method before any route runs: 404 for a path that nobody serves, 405 with `Allow` for a method that its path does not take. */
import type Router from "@koa/router"
import type { Middleware } from "koa"
import { httpError } from "../error-response.js"
import { requestIdHeader } from "./request-id.js"

const shown = (path: string): string => (path.length > 100 ? `${path.slice(0, 100)}…` : path)

/** HEAD is GET without a body, and OPTIONS asks for `Allow`, on every path that is served. */
const allowOf = (methods: ReadonlyArray<string>): string => [...new Set([...methods, "OPTIONS"])].sort().join(", ")

/** The methods of a path, as an `Allow` header names them; `undefined` if nothing is served there. */
export const allowedMethods =
  (router: Router) =>
  (path: string): string | undefined => {
    const methods = router.match(path, "OPTIONS").path.flatMap((layer) => layer.methods)
    return methods.length === 0 ? undefined : allowOf(methods)
  }

export const requireRoute =
  (router: Router): Middleware =>
  (ctx, next) => {
    if (router.match(ctx.path, ctx.method).route) return next()
    const allow = allowedMethods(router)(ctx.path)
    if (allow === undefined) throw httpError("route_not_found", `Nothing is served at ${shown(ctx.path)}.`)
    if (ctx.method !== "OPTIONS") {
      const message = `${ctx.method} is not a method of ${shown(ctx.path)}: use one of ${allow}.`
      throw httpError("method_not_allowed", message, ["Allow", allow])
    }
    ctx.respond = false
    ctx.res.writeHead(204, [requestIdHeader, ctx.state["requestId"], "Allow", allow])
    ctx.res.end()
    return undefined
  }
