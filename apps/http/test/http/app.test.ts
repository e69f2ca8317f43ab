/** The whole service on a server of its own: straight through the pipeline, and with Koa around it. */

import { once } from "node:events"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import type { Middleware } from "koa"
import { expect, it, vi } from "vitest"
import { startFailingService } from "../failing-service.js"

const pass: Middleware = (_ctx, next) => next()

const headOf = (requestLine: string, ...headers: ReadonlyArray<string>): string =>
  [`${requestLine} HTTP/1.1`, "Host: a", "Connection: close", ...headers, "", ""].join("\r\n")

/** Every kind of answer, some of them to targets that another reader might read otherwise. */
const requests = (key: string): ReadonlyArray<string> => {
  const mine = `Authorization: Bearer ${key}`
  const body = '{"name":"Bello","categoryId":7}'
  const create = headOf("POST /v1/pets", mine, "Content-Type: application/json", `Content-Length: ${body.length}`) + body
  return [
    create,
    headOf("GET /v1/pets", mine),
    headOf("HEAD /v1/pets", mine),
    headOf("GET /v1/pets?limit=0", mine),
    headOf("GET /v1/pets??limit=0", mine),
    headOf("GET /v1/pets/1", mine, "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    headOf("GET /v1/pets/1", mine, "If-None-Match: *"),
    headOf("GET /v1/pets/2", mine),
    headOf("GET /v1/pets/%31", mine),
    headOf("GET /v1/pets"),
    headOf("GET /v1/nothing", mine),
    headOf("PUT /v1/pets", mine),
    headOf("OPTIONS /v1/pets", mine),
    headOf("OPTIONS *"),
    headOf("GET /healthz"),
    headOf("GET /readyz"),
    headOf("GET /"),
    headOf("GET /docs"),
    headOf("GET /openapi.json"),
    headOf("GET /nothing"),
    headOf("GET http://a/healthz"),
    headOf("GET http://a;b/v1/pets", mine),
    headOf("GET http://%ff/v1/pets", mine),
    headOf("GET http://%ff@a/healthz"),
    headOf("GET http://a?x"),
    headOf("GET nonsense"),
  ]
}

/** What differs from one answer to the next. */
const settled = (answer: string): string => answer.replace(/(?<=^(?:Date|X-Request-Id|RateLimit): )[^\r]*/gm, "…")

it("answers with an Error object when a middleware of Koa breaks", async () => {
  for (const broken of [
    () => {
      throw new Error("told to")
    },
    () => Promise.reject(new Error("told to")),
  ]) {
    const service = await startFailingService(10_000, [broken])
    const answer = await fetch(new URL("/healthz", service.baseUrl))
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ code: "internal_error", status: 500 })])
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}-[0-9]+$/)
    await service.stop()
  }
})

it("prints nothing of its own when a caller breaks its connection behind a middleware of Koa", async () => {
  const printed = vi.spyOn(console, "error")
  const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wait: Middleware = async ({ res }) => {
    arrived.resolve()
    await once(res, "close")
    left.resolve()
  }
  const service = await startFailingService(10_000, [wait])
  const socket = connect(Number(service.baseUrl.port), "127.0.0.1")
  socket.write(headOf("GET /healthz"))
  await arrived.promise
  socket.resetAndDestroy()
  await left.promise
  await service.stop()
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
})

it("answers alike with Koa around it and without, and never with an answer of Koa", async () => {
  const answers = await Promise.all(
    [[], [pass]].map(async (middleware) => {
      const service = await startFailingService(10_000, middleware)
      const { port } = service.baseUrl
      const given: Array<string> = []
      for (const request of requests(await service.makeKey())) {
        const socket = connect(Number(port), "127.0.0.1")
        socket.write(request)
        given.push(settled(await text(socket)))
      }
      await service.stop()
      return given
    }),
  )
  const [straight = [], hosted] = answers
  expect(hosted).toEqual(straight)
  const statuses = straight.map((answer) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]))
  expect(statuses).toEqual([
    ...[201, 200, 200, 400, 200, 200, 304, 404, 200, 401, 404, 405, 204, 404],
    ...[200, 200, 302, 200, 200, 404],
    ...[200, 200, 200, 400, 302, 400],
  ])
  for (const answer of straight) {
    expect(answer).toContain("\r\nX-Request-Id: ")
    expect(answer).not.toContain("Content-Type: text/plain")
  }
})
