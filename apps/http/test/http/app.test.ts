/** The whole service on a separate server, with Koa middleware in front of the service's own steps. */
import { once } from "node:events"
import { createRequire } from "node:module"
import { connect } from "node:net"
import { Readable, Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { PetFreshness } from "@petstore/core"
import { storage, wrapRepositories } from "@petstore/storage"
import { Context, Layer } from "effect"
import type { Middleware } from "koa"
import helmet from "koa-helmet"
import { expect, it, vi } from "vitest"
import { startFailingService } from "../failing-service.js"

// These packages have no types.
const require = createRequire(import.meta.url)
const ratelimit: (options: object) => Middleware = require("koa-ratelimit")
const pinoLogger: (options: object, stream: Writable) => Middleware = require("koa-pino-logger")

const wait: Middleware = async (_ctx, next) => {
  await null
  await next()
}

const headOf = (requestLine: string, ...headers: ReadonlyArray<string>): string =>
  [`${requestLine} HTTP/1.1`, "Host: a", "Connection: close", ...headers, "", ""].join("\r\n")

/** Requests for every kind of response, including targets that other parsers might read differently. */
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

/** Masks the parts that differ between responses. */
const settled = (response: string): string => response.replace(/(?<=^(?:Date|X-Request-Id|RateLimit): )[^\r]*/gm, "…")

it("the service responds with an Error object when Koa middleware throws", async () => {
  for (const broken of [
    () => {
      throw new Error("told to")
    },
    () => Promise.reject(new Error("told to")),
  ]) {
    const service = await startFailingService(10_000, [broken])
    const response = await fetch(new URL("/healthz", service.baseUrl))
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({ code: "internal_error", status: 500 }),
    ])
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}-[0-9]+$/)
    await service.stop()
  }
})

it("the service does not print an error when a client disconnects while Koa middleware runs", async () => {
  const printed = vi.spyOn(console, "error")
  const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold: Middleware = async ({ res }) => {
    arrived.resolve()
    await once(res, "close")
    left.resolve()
  }
  const service = await startFailingService(10_000, [hold])
  const socket = connect(Number(service.baseUrl.port), "127.0.0.1")
  socket.write(headOf("GET /healthz"))
  await arrived.promise
  socket.resetAndDestroy()
  await left.promise
  await service.stop()
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
})

it("the service responds identically with synchronous and asynchronous middleware, and never lets Koa respond", async () => {
  const responses = await Promise.all(
    [[], [wait]].map(async (middleware) => {
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
  const [atOnce = [], later] = responses
  expect(later).toEqual(atOnce)
  const statuses = atOnce.map((response) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]))
  expect(statuses).toEqual([
    ...[201, 200, 200, 400, 200, 200, 304, 404, 200, 401, 404, 405, 204, 404],
    ...[200, 200, 302, 200, 200, 404],
    ...[200, 200, 200, 400, 302, 400],
  ])
  for (const response of atOnce) {
    expect(response).toContain("\r\nX-Request-Id: ")
    expect(response).not.toContain("Content-Type: text/plain")
  }
})

/** Sends one request per path to a service with this middleware. */
const ask = async (middleware: ReadonlyArray<Middleware>, ...paths: ReadonlyArray<string>) => {
  const service = await startFailingService(10_000, middleware)
  const headers = { authorization: `Bearer ${await service.makeKey()}`, "x-request-id": "r-1" }
  const responses = []
  for (const path of paths) {
    const response = await fetch(new URL(path, service.baseUrl), { headers })
    responses.push({ status: response.status, headers: response.headers, body: await response.text() })
  }
  await service.stop()
  return responses
}

it("the service sends koa-helmet's headers along with its own, even on failures", async () => {
  const responses = await ask([helmet()], "/v1/pets", "/v1/nothing", "/docs")
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 200])
  for (const { headers } of responses) {
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN")
    expect(headers.get("x-request-id")).toBe("r-1")
  }
  expect(responses[0]?.headers.get("cache-control")).toBe("private, no-cache")
  expect(responses[2]?.headers.get("content-security-policy")).toMatch(/^default-src 'none'/)
})

it("the service lets koa-ratelimit respond through ctx.body and ctx.status, or with ctx.throw", async () => {
  const options = { driver: "memory", duration: 60_000, max: 1, id: () => "all" }
  const [first, second] = await ask([ratelimit({ ...options, db: new Map() })], "/v1/pets", "/v1/pets")
  expect([first?.status, first?.headers.get("x-ratelimit-remaining"), first?.body]).toEqual([200, "0", "[]"])
  expect([second?.status, second?.headers.get("x-ratelimit-remaining")]).toEqual([429, "0"])
  expect(second?.body).toMatch(/^Rate limit exceeded/)
  expect([second?.headers.get("content-type"), second?.headers.get("x-request-id")]).toEqual(["text/plain; charset=utf-8", "r-1"])

  const [, refused] = await ask([ratelimit({ ...options, db: new Map(), throw: true })], "/v1/pets", "/v1/pets")
  expect(JSON.parse(refused?.body ?? "")).toEqual({
    code: "too_many_requests",
    message: expect.stringMatching(/^Rate limit exceeded/),
    status: 429,
  })
  expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/)
})

it("koa-pino-logger writes a line at the end of each response, including responses from other middleware", async () => {
  const lines: Array<unknown> = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const greet: Middleware = (ctx, next) => {
    if (ctx.query["greet"] === undefined) return next()
    ctx.body = { hello: ctx.state["name"] }
    return undefined
  }
  const name: Middleware = (ctx, next) => {
    ctx.state["name"] = ctx.get("X-Request-Id")
    return next()
  }
  const responses = await ask([pinoLogger({}, stream), name, greet], "/v1/pets", "/v1/pets/7", "/v1/pets?greet")
  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [200, "[]"],
    [404, expect.stringContaining("pet_not_found")],
    [200, '{"hello":"r-1"}'],
  ])
  expect(lines).toEqual(
    [200, 404, 200].map((statusCode) =>
      expect.objectContaining({ msg: "request completed", res: expect.objectContaining({ statusCode }) }),
    ),
  )
})

it("the service sends its own body even if middleware sets ctx.body after next", async () => {
  const late: Middleware = async (ctx, next) => {
    await next()
    ctx.body = "changed"
  }
  const responses = await ask([late], "/v1/pets", "/healthz", "/v1/nothing")
  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [200, "[]"],
    [200, '{"status":"ok"}'],
    [404, expect.stringContaining("route_not_found")],
  ])
})

it("the service sends a stream from middleware, and responds with 500 if JSON cannot represent a value", async () => {
  const send: Middleware = (ctx) => {
    ctx.body = ctx.query["stream"] === undefined ? { big: 1n } : Readable.from(["a", "b"])
  }
  const responses = await ask([send], "/v1/pets?stream", "/v1/pets", "/v1/pets?stream")
  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [200, "ab"],
    [500, expect.stringContaining("internal_error")],
    [200, "ab"],
  ])
})

it.each([
  ["the service caches a page that was read twice", true, 3],
  ["the service reads every page if the store does not provide PetFreshness", false, 5],
])("%s", async (_, isFresh, expected) => {
  let reads = 0
  const counted = wrapRepositories(storage("memory:", { migrate: true }), {
    pets: (pets) => ({
      ...pets,
      list: (selection) => {
        reads += 1
        return pets.list(selection)
      },
    }),
  })
  const store = isFresh ? counted : Layer.map(counted, (services) => Context.omit(PetFreshness)(services))
  const service = await startFailingService(10_000, [], store)
  const pets = new URL("pets", `${service.baseUrl}/`)
  const headers = { authorization: `Bearer ${await service.makeKey()}`, "content-type": "application/json" }
  const list = async () => (await fetch(pets, { headers })).json()
  for (let count = 0; count < 3; count += 1) expect(await list()).toEqual([])
  await fetch(pets, { method: "POST", headers, body: '{"name":"Bello","categoryId":7}' })
  for (let count = 0; count < 2; count += 1) expect(await list()).toMatchObject([{ name: "Bello" }])
  expect(reads).toBe(expected)
  await service.stop()
})
