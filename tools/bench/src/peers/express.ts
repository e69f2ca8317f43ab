/** Express 5 with better-sqlite3. */
import type { Server } from "node:http"
import express, { type ErrorRequestHandler } from "express"
import { keyOf, linkOf, newPetOf, pageQueryOf, Refusal } from "./rules.ts"
import type { PeerStore } from "./store.ts"

export const startExpress = (store: PeerStore): Server => {
  const app = express()
  app.disable("x-powered-by")
  app.use((request, _response, next) => {
    store.checkKey(keyOf(request.headers.authorization))
    next()
  })
  app.get("/v1/pets", (request, response) => {
    const query = pageQueryOf(request.query)
    const rows = store.page(query)
    const link = linkOf(query, rows)
    if (link !== undefined) response.set("Link", link)
    response.json(rows.slice(0, query.limit))
  })
  app.get("/v1/pets/:petId", (request, response) => {
    response.json(store.find(Number(request.params.petId)))
  })
  app.post("/v1/pets", express.json({ limit: "64kb" }), (request, response) => {
    const pet = store.create(newPetOf(request.body))
    response.status(201).location(`/v1/pets/${pet.id}`).json(pet)
  })
  const answerErrors: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "internal_error", "Unexpected failure.")
    response.status(refusal.status).json(refusal.body())
  }
  app.use(answerErrors)
  return app.listen(0, "127.0.0.1")
}
