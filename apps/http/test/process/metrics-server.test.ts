/** The server on `ADMIN_PORT` limits the work for a flood of requests, and responds to health checks meanwhile. */
import { setTimeout as sleep } from "node:timers/promises"
import { Caller, get, until } from "@petstore/harness/caller"
import { Effect, Exit, Option, Scope } from "effect"
import { expect, it, onTestFinished } from "vitest"
import { type AdminOptions, serveMetrics } from "../../src/process/metrics-server.js"

const text = (body: string) => ({ contentType: "text/plain", text: body })

const start = async (options: Partial<AdminOptions>): Promise<number> => {
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const limits = { headMillis: 10_000, requestMillis: 30_000, readMillis: 30_000, keepAliveMillis: 65_000 }
  const serving = serveMetrics(
    { adminPort: Option.some(0), adminHost: "127.0.0.1", ...limits },
    { metrics: async () => text("a 1\n"), findUnreadiness: async () => undefined, ...options },
  )
  return Option.getOrThrow(await Effect.runPromise(Scope.extend(serving, scope)))
}

const ask = async (port: number, path: string): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: "close" } })
  return `${response.status} ${await response.text()}`
}

it.for(["/metrics", "/readyz"])("the server on ADMIN_PORT collects data once for all waiting GET %s requests", async (path) => {
  const reading = Promise.withResolvers<void>()
  let readings = 0
  const count = async () => {
    readings += 1
    await reading.promise
  }
  const port = await start({
    metrics: async () => {
      await count()
      return text("a 1\n")
    },
    findUnreadiness: async () => {
      await count()
      return undefined
    },
  })
  const callers = await Promise.all(Array.from({ length: 20 }, () => Caller.open(port)))
  for (const caller of callers) caller.send(get(path).repeat(100))
  await until(() => readings > 0, "the first reading")
  // By the time the server responds to these requests, it has read from every caller.
  for (let turn = 0; turn < 3; turn += 1) expect(await ask(port, "/healthz")).toBe('200 {"status":"ok"}')
  expect(readings).toBe(1)
  reading.resolve()
  await until(() => callers.every(({ responses }) => responses.length > 0), "a response for each caller")
})

it("the server on ADMIN_PORT builds one response at a time for a client that does not read", async () => {
  let readings = 0
  const port = await start({
    metrics: async () => {
      readings += 1
      return text("a".repeat(16_000_000))
    },
  })
  const caller = await Caller.open(port)
  caller.socket.pause()
  caller.send(get("/metrics").repeat(20))
  await until(() => readings > 0, "the first reading")
  await sleep(1_000)
  expect(readings).toBe(1)
})

it("the server on ADMIN_PORT answers several requests on one connection in order", async () => {
  const port = await start({})
  const caller = await Caller.open(port)
  caller.send(get("/metrics") + get("/healthz") + get("/nothing") + get("/readyz"))
  await until(() => caller.responses.length === 4, "four responses")
  expect(caller.responses).toStrictEqual(["200 a 1", '200 {"status":"ok"}', "404", '200 {"status":"ready"}'])
  caller.send(get("/metrics"))
  await until(() => caller.responses.length === 5, "a response on the open connection")
})

it("the server on ADMIN_PORT answers health checks while clients hold too many connections", async () => {
  const port = await start({})
  const callers = await Promise.all(Array.from({ length: 300 }, () => Caller.open(port)))
  for (const caller of callers) caller.send("GET /metrics HTTP/1.1\r\n")
  expect(await ask(port, "/healthz")).toBe('200 {"status":"ok"}')
  await callers[0]?.ended
  expect(callers.at(-1)?.socket.closed).toBe(false)
})
