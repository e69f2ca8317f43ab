/**
 * Leads a plain request straight to its route: one whose path needs no pattern
 * and whose key was accepted a moment ago. The router and the middleware before it
 * would judge it alike and cost more than the route itself. Whatever is not plain goes on.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Middleware } from "koa"
import type { AnswerFailure } from "../error-response.js"
import type { Exchange } from "../exchange.js"
import type { PetRoutes } from "../handlers/pets.js"
import type { Authenticator } from "./authenticate.js"
import { requestIdFrom } from "./request-id.js"

const collection = "/v1/pets"

/** Identifiers that are plain and short enough to be surely within 64 bits. */
const plainId = /^\/([0-9]{1,18})$/

/** Answers a request, or leaves it alone and says `false`. Whoever has a `state` of the request already finds there who called. */
export type DirectRoutes = (req: IncomingMessage, res: ServerResponse, state?: Partial<Exchange["state"]>) => boolean

export const directRoutes = ({ recall }: Authenticator, pets: PetRoutes, answerFailure: AnswerFailure): DirectRoutes => {
  const routeOf = (method: string | undefined, url: string): ((exchange: Exchange) => void | Promise<void>) | undefined => {
    if (!url.startsWith(collection)) return undefined
    const rest = url.slice(collection.length)
    if (rest === "" || rest.startsWith("?")) {
      return method === "GET" ? pets.listPets : method === "POST" ? pets.createPet : undefined
    }
    const petId = method === "GET" ? plainId.exec(rest)?.[1] : undefined
    return petId === undefined ? undefined : (exchange) => pets.getPet(exchange, petId)
  }

  return (req, res, state = {}) => {
    const { method, url = "", headers } = req
    const route = routeOf(method, url)
    const apiKey = route === undefined ? undefined : recall(headers.authorization)
    if (route === undefined || apiKey === undefined) return false
    const requestId = state.requestId ?? requestIdFrom(headers["x-request-id"])
    const exchange: Exchange = { req, res, state: Object.assign(state, { requestId, apiKey }) }
    try {
      const answered = route(exchange)
      if (answered !== undefined) answered.catch((thrown: unknown) => answerFailure(exchange, thrown))
    } catch (thrown) {
      answerFailure(exchange, thrown)
    }
    return true
  }
}

/** The same way, where something stands before it that must see or mark every request. */
export const goDirectly =
  (direct: DirectRoutes): Middleware =>
  (ctx, next) => {
    if (!direct(ctx.req, ctx.res, ctx.state)) return next()
    ctx.respond = false
    return undefined
  }
