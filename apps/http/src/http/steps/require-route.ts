/** Checks path and method: 404 for a path that nobody serves, 405 with `Allow` for a method that its path does not take. */
import { hideApiKeys } from "@petstore/core"
import { httpError } from "../error-response.js"
import { answerEmpty } from "../response/answer.js"
import type { Step } from "./step.js"

const shownMaximum = 100

const shown = (path: string): string => {
  const hidden = hideApiKeys(path)
  return hidden.length > shownMaximum ? `${hidden.slice(0, shownMaximum)}…` : hidden
}

export const requireRoute: Step = (exchange) => {
  const { method, path, resource, route } = exchange
  if (route !== undefined) return "pass"
  if (resource.routes.size === 0) throw httpError("route_not_found", `Nothing is served at ${shown(path)}.`)
  if (method !== "OPTIONS") {
    const message = `${method} is not a method of ${shown(path)}: use one of ${resource.allow}.`
    throw httpError("method_not_allowed", message, ["Allow", resource.allow])
  }
  answerEmpty(exchange, 204, ["Allow", resource.allow])
  return "answered"
}
