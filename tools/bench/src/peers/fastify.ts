/** Fastify 5, with better-sqlite3 or with pg: the most likely alternative. */
import type { Server } from "node:http"
import Fastify from "fastify"
import { keyOf, linkOf, type NewPetBody, Refusal, statuses } from "./rules.ts"
import type { WaitingPeerStore } from "./store.ts"

const pet = {
  type: "object",
  required: ["id", "name", "categoryId"],
  properties: { id: { type: "integer" }, name: { type: "string" }, categoryId: { type: "integer" }, status: { type: "string" } },
} as const

/** @param logger  whether Fastify's own logger writes two lines per request to standard output */
export const startFastify = async (store: WaitingPeerStore, logger: boolean): Promise<Server> => {
  const app = Fastify({ logger })
  app.addHook("onRequest", async (request) => store.checkKey(keyOf(request.headers.authorization)))
  app.setErrorHandler((error: Error & { validation?: unknown }, _request, reply) => {
    const refusal =
      error instanceof Refusal
        ? error
        : error.validation === undefined
          ? new Refusal(500, "internal_error", "Unexpected failure.")
          : new Refusal(400, "invalid_body", error.message)
    reply.status(refusal.status).send(refusal.body())
  })

  app.get<{ Querystring: { limit: number; status?: string; cursor: number } }>(
    "/v1/pets",
    {
      schema: {
        querystring: {
          type: "object",
          properties: {
            limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
            status: { type: "string", enum: statuses },
            cursor: { type: "integer", default: 0 },
          },
        },
        response: { 200: { type: "array", items: pet } },
      },
    },
    async (request, reply) => {
      const query = { limit: request.query.limit, status: request.query.status, after: request.query.cursor }
      const rows = await store.page(query)
      const link = linkOf(query, rows)
      if (link !== undefined) reply.header("link", link)
      return rows.length > query.limit ? rows.slice(0, query.limit) : rows
    },
  )

  app.get<{ Params: { petId: number } }>(
    "/v1/pets/:petId",
    { schema: { params: { type: "object", properties: { petId: { type: "integer" } } }, response: { 200: pet } } },
    async (request) => store.find(request.params.petId),
  )

  app.post<{ Body: NewPetBody }>(
    "/v1/pets",
    {
      schema: {
        body: {
          type: "object",
          required: ["name", "categoryId"],
          properties: {
            name: { type: "string", minLength: 1, maxLength: 1024 },
            categoryId: { type: "integer" },
            status: { type: "string", enum: statuses },
          },
        },
        response: { 201: pet },
      },
    },
    async (request, reply) => {
      const created = await store.create(request.body)
      reply.status(201).header("location", `/v1/pets/${created.id}`)
      return created
    },
  )
  await app.listen({ port: 0, host: "127.0.0.1" })
  return app.server
}
