/** Checks path and method: 404 for a path that is not served, 405 with `Allow` for a method that the path does not support. */
import { redactApiKeys } from "@petstore/core/internal"
import { httpError } from "../error-response.js"
import { patchTypes } from "../request/json-body.js"
import { sendEmpty } from "../response/send.js"
import type { Step } from "../service-koa.js"

const shownMaximum = 100

const shown = (path: string): string => {
  const hidden = redactApiKeys(path)
  return hidden.length > shownMaximum ? `${hidden.slice(0, shownMaximum)}…` : hidden
}

export const requireRoute: Step = (exchange, next) => {
  const { method, path, resource, route } = exchange
  if (route !== undefined) return next()
  if (resource.routes.size === 0) {
    const hint = path.length > 1 && path.endsWith("/") ? " No path ends in a slash." : ""
    throw httpError("route_not_found", `Nothing is served at ${shown(path)}.${hint}`)
  }
  if (method !== "OPTIONS") {
    const message = `${method} is not a method of ${shown(path)}: use one of ${resource.allow}.`
    throw httpError("method_not_allowed", message, ["Allow", resource.allow])
  }
  const patch = resource.routes.has("PATCH") ? ["Accept-Patch", patchTypes.join(", ")] : []
  return sendEmpty(exchange, 204, ["Allow", resource.allow, ...patch])
}
