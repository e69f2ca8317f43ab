/** Listeners that know nothing of the package work on it unchanged. */
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { Caller, get, until } from "@petstore/harness/caller"
import express from "express"
import Fastify, { type FastifyServerOptions } from "fastify"
import Koa from "koa"
import { describe, expect, it, onTestFinished } from "vitest"
import { Budget, createBoundedServer } from "../src/index.js"

/** Listens, and returns the responses to a few requests on connections that stay open. */
const responsesOf = async (server: Server): Promise<ReadonlyArray<string>> => {
  if (!server.listening) {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
  }
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${Object(server.address()).port}`
  const ask = async (path: string, init?: RequestInit): Promise<string> => {
    const response = await fetch(`${url}${path}`, init)
    return `${response.status} ${await response.text()}`
  }
  const long = (await ask("/long")).length
  return [await ask("/"), await ask("/echo", { method: "POST", body: "body" }), String(long), await ask("/none")]
}

const long = "x".repeat(3_000_000)

const listener: RequestListener = async (request, response) => {
  if (request.url === "/") response.end("hello")
  else if (request.url === "/echo") response.end(await text(request))
  else if (request.url === "/long") {
    for (let at = 0; at < long.length; at += 100_000) response.write(long.slice(at, at + 100_000))
    response.end()
  } else response.writeHead(404).end("none")
}

const expected = ["200 hello", "200 body", "3000004", "404 none"]

it("a listener of plain Node works as on a plain server", async () => {
  expect(await responsesOf(createServer(listener))).toStrictEqual(expected)
  expect(await responsesOf(createBoundedServer(listener))).toStrictEqual(expected)
})

it("a Koa app works", async () => {
  const app = new Koa()
  app.use(async (ctx) => {
    if (ctx.path === "/") ctx.body = "hello"
    else if (ctx.path === "/echo") ctx.body = await text(ctx.req)
    else if (ctx.path === "/long") ctx.body = long
    else {
      ctx.status = 404
      ctx.body = "none"
    }
  })
  expect(await responsesOf(createBoundedServer(app.callback()))).toStrictEqual(expected)
})

describe("an Express app, which gives requests and responses another prototype", () => {
  const app = express()
  app.post("/echo", express.text({ type: () => true }), (request, response) => void response.send(request.body))
  app.get("/long", (_request, response) => void response.send(long))

  it.for([
    ["later than in the first tick", (request, response) => void setTimeout(() => app(request, response), 1)],
    ["at once", app],
  ] as const satisfies ReadonlyArray<readonly [string, RequestListener]>)(
    "gets chunked bodies, and its responses use the memory budget: %s",
    async ([, listener]) => {
      const budget = new Budget(10_000_000)
      const server = createBoundedServer(listener, { budget, limits: { keepAliveMillis: 200 } }).listen(0, "127.0.0.1")
      onTestFinished(() => void server.close().closeAllConnections())
      await once(server, "listening")
      const caller = await Caller.open(Object(server.address()).port)
      const chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
      caller.send(chunked.repeat(2))
      await until(() => caller.received.split("hello").length === 3, "two responses")
      caller.socket.pause()
      caller.send(get("/long").repeat(3))
      await until(() => budget.bytes > long.length, "the unread responses to be counted")
      caller.socket.destroy()
      await until(() => budget.bytes === 0, "the memory to be free")
    },
  )
})

it("an Express app works", async () => {
  const app = express()
  app.get("/", (_request, response) => void response.send("hello"))
  app.post("/echo", express.text({ type: () => true }), (request, response) => void response.send(request.body))
  app.get("/long", (_request, response) => void response.send(long))
  app.use((_request, response) => void response.status(404).send("none"))
  expect(await responsesOf(createBoundedServer(app))).toStrictEqual(expected)
})

it("a listener that passes a body on in its response loses the connection if the body is malformed", async () => {
  const server = createBoundedServer((request, response) => void request.pipe(response)).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, "listening")
  const caller = await Caller.open(Object(server.address()).port)
  caller.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
  await until(() => caller.received.includes("hello"), "the response's beginning")
  caller.send("x\r\n")
  await until(() => caller.socket.readableEnded || caller.socket.closed, "the end of the connection")
})

/** Does not respond to malformed messages, because bounded-http does. */
const options: FastifyServerOptions = { serverFactory: (handler) => createBoundedServer(handler), clientErrorHandler: () => {} }

it("a Fastify app responds in order, even before a malformed message", async () => {
  const app = Fastify(options)
  onTestFinished(() => app.close())
  app.get("/slow", () => sleep(50, "slow"))
  await app.listen({ port: 0, host: "127.0.0.1" })
  const caller = await Caller.open(Object(app.server.address()).port)
  caller.send(`${get("/slow")}nonsense\r\n\r\n`)
  await caller.ended
  expect(caller.responses).toStrictEqual(["200 slow", "400 malformed_request"])
})

it("a Fastify app works with its serverFactory", async () => {
  const app = Fastify(options)
  app.addContentTypeParser("text/plain", { parseAs: "string" }, (_request, body, done) => done(null, body))
  app.get("/", async () => "hello")
  app.post("/echo", async ({ body }) => body)
  app.get("/long", async () => long)
  app.setNotFoundHandler((_request, reply) => reply.status(404).send("none"))
  await app.listen({ port: 0, host: "127.0.0.1" })
  expect(await responsesOf(app.server)).toStrictEqual(expected)
  await app.close()
})
