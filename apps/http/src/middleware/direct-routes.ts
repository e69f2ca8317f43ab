/**
 * Leads a plain request straight to its route: one whose path needs no pattern
 * and whose key was accepted a moment ago. The router and the middleware before it
 * would judge it alike and cost more than the route itself. Whatever is not plain goes on.
 */
import type { Context, Middleware } from "koa"
import { answerErrors } from "../error-response.js"
import type { PetRoutes } from "../routes/pets.js"
import type { Authenticator } from "./authenticate.js"

const collection = "/v1/pets"

/** Identifiers that are plain and short enough to be surely within 64 bits. */
const plainId = /^\/([0-9]{1,18})$/

export const directRoutes = ({ recall }: Authenticator, pets: PetRoutes): Middleware => {
  const routeOf = (method: string | undefined, url: string): ((ctx: Context) => void | Promise<void>) | undefined => {
    if (!url.startsWith(collection)) return undefined
    const rest = url.slice(collection.length)
    if (rest === "" || rest.startsWith("?")) {
      return method === "GET" ? pets.listPets : method === "POST" ? pets.createPet : undefined
    }
    const petId = method === "GET" ? plainId.exec(rest)?.[1] : undefined
    return petId === undefined ? undefined : (ctx) => pets.getPet(ctx, petId)
  }

  return (ctx, next) => {
    const { method, url = "", headers } = ctx.req
    const route = routeOf(method, url)
    const apiKey = route === undefined ? undefined : recall(headers.authorization)
    if (route === undefined || apiKey === undefined) return next()
    ctx.state["apiKey"] = apiKey
    return answerErrors(ctx, async () => route(ctx))
  }
}
