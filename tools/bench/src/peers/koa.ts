/** Koa 3 with node:sqlite, written naively: our framework, but without optimisations. */
import type { Server } from "node:http"
import { json } from "node:stream/consumers"
import Router from "@koa/router"
import Koa from "koa"
import { keyOf, linkOf, newPetOf, pageQueryOf, Refusal } from "./rules.ts"
import type { PeerStore } from "./store.ts"

export const startKoa = (store: PeerStore): Server => {
  const app = new Koa()
  const router = new Router()
  app.use(async (ctx, next) => {
    try {
      store.checkKey(keyOf(ctx.get("authorization")))
      await next()
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, "internal_error", "Unexpected failure.")
      ctx.status = refusal.status
      ctx.body = refusal.body()
    }
  })
  router.get("/v1/pets", (ctx) => {
    const query = pageQueryOf(ctx.query)
    const rows = store.page(query)
    const link = linkOf(query, rows)
    if (link !== undefined) ctx.set("Link", link)
    ctx.body = rows.slice(0, query.limit)
  })
  router.get("/v1/pets/:petId", (ctx) => {
    ctx.body = store.find(Number(ctx.params["petId"]))
  })
  router.post("/v1/pets", async (ctx) => {
    const pet = store.create(newPetOf(await json(ctx.req)))
    ctx.status = 201
    ctx.set("Location", `/v1/pets/${pet.id}`)
    ctx.body = pet
  })
  app.use(router.routes())
  return app.listen(0, "127.0.0.1")
}
