/** Hono 4 with node:sqlite. */
import { createServer, type Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { keyOf, linkOf, newPetOf, pageQueryOf, Refusal } from "./rules.ts"
import type { PeerStore } from "./store.ts"

export const startHono = (store: PeerStore): Server => {
  const app = new Hono()
  app.use(async (context, next) => {
    store.checkKey(keyOf(context.req.header("authorization")))
    await next()
  })
  app.onError((error, context) => {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "internal_error", "Unexpected failure.")
    // Safe: every status of a refusal has a body.
    return context.json(refusal.body(), refusal.status as ContentfulStatusCode)
  })
  app.get("/v1/pets", (context) => {
    const query = pageQueryOf(context.req.query())
    const rows = store.page(query)
    const link = linkOf(query, rows)
    return context.json(rows.slice(0, query.limit), 200, link === undefined ? {} : { Link: link })
  })
  app.get("/v1/pets/:petId", (context) => context.json(store.find(Number(context.req.param("petId")))))
  app.post("/v1/pets", async (context) => {
    const pet = store.create(newPetOf(await context.req.json()))
    return context.json(pet, 201, { Location: `/v1/pets/${pet.id}` })
  })
  return createServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1")
}
