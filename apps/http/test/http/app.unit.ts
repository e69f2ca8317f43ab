/** The order of the checks (specification, section 10), whichever step waits. */
import { setImmediate as endOfTick } from "node:timers/promises"
import type { ApiKey } from "@petstore/core"
import { pino } from "pino"
import { describe, expect, it } from "vitest"
import { createKoa } from "../../src/http/app.js"
import { httpError } from "../../src/http/error-response.js"
import type { Exchange, Handler, Resource } from "../../src/http/exchange.js"
import { sendJson } from "../../src/http/response/send.js"
import { rateLimiterHere } from "../../src/http/steps/rate-limit.js"
import { messagesOf, resourceOf } from "./exchange-of.js"

interface Settings {
  readonly handler?: Handler
  readonly resource?: Partial<Resource>
  /** Whether the key is cached. If it is not, the store looks it up. */
  readonly isCached?: boolean
  /** Whether the store accepts the key. */
  readonly accepts?: boolean
  readonly isOverRate?: boolean
  readonly headers?: Record<string, string>
  readonly method?: string
}

// Safe: the steps use only the identifier.
const apiKey = { id: "key_1" } as ApiKey

const run = async ({ handler = (exchange) => sendJson(exchange, 200, "{}"), ...settings }: Settings) => {
  const seen: Array<string> = []
  const resource = resourceOf(
    (exchange: Exchange) => {
      seen.push("handled")
      return handler(exchange)
    },
    { credential: true, ...settings.resource },
  )
  const askStore = async () => {
    seen.push("asked")
    if (settings.accepts === false) throw httpError("invalid_credential", "No.")
    return apiKey
  }
  const koa = createKoa(() => resource, {
    logger: pino({ enabled: false }),
    bodyLimitBytes: 65_536,
    tracing: undefined,
    middleware: [],
    observers: [{ started: () => void seen.push("started"), ended: ({ operation }) => void seen.push(`ended ${operation}`) }],
    corsOrigins: ["https://shop.example"],
    authenticator: () => (settings.isCached === true ? apiKey : askStore()),
    rateLimiter: settings.isOverRate === true ? rateLimiterHere(0) : undefined,
    countDeprecatedCall: (operation) => void seen.push(`deprecated ${operation}`),
    waiting: { hasWaiters: false, lookSoon: () => {} },
  })
  const { req, res, sent } = messagesOf({ method: settings.method ?? "GET", headers: settings.headers ?? {} })
  void koa.callback()(req, res)
  const atOnce = sent() !== ""
  await endOfTick()
  await endOfTick()
  res.destroy()
  await endOfTick()
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(sent()) ?? []
  const [, code] = /"code":"(\w+)"/.exec(sent()) ?? []
  return { seen, status: Number(status), code, atOnce, head: sent().split("\r\n\r\n", 1)[0] }
}

describe("a request", () => {
  it("gets its response at once if no step waits", async () => {
    const { seen, status, atOnce } = await run({ isCached: true })
    expect([seen, status, atOnce]).toEqual([["started", "handled", "ended test"], 200, true])
  })

  it("passes every step even if the store has to look up its key", async () => {
    const { seen, status, atOnce } = await run({})
    expect([seen, status, atOnce]).toEqual([["started", "asked", "handled", "ended test"], 200, false])
  })

  it("gets no information about routes, methods or rates without a key", async () => {
    for (const settings of [{}, { resource: { routes: new Map() } }, { method: "PUT" }, { isOverRate: true }]) {
      const { seen, status } = await run({ ...settings, accepts: false })
      expect([seen.slice(0, 2), seen.includes("handled"), status]).toEqual([["started", "asked"], false, 401])
    }
  })

  it("is refused for exceeding its rate limit before its route is checked", async () => {
    for (const resource of [{ routes: new Map() }, {}]) {
      expect(await run({ isCached: true, isOverRate: true, resource })).toMatchObject({ status: 429, code: "rate_limited" })
    }
  })

  it("is refused for its route before its method is checked", async () => {
    expect(await run({ isCached: true, method: "PUT", resource: { routes: new Map() } })).toMatchObject({
      status: 404,
      code: "route_not_found",
    })
    expect(await run({ isCached: true, method: "PUT" })).toMatchObject({ status: 405, code: "method_not_allowed" })
  })

  it("gets the headers of earlier steps in every response", async () => {
    const headers = { origin: "https://shop.example", "x-request-id": "r-1" }
    for (const settings of [{ isCached: true }, { accepts: false }, { isCached: true, method: "PUT" }]) {
      const { head } = await run({ ...settings, headers })
      expect(head).toContain("X-Request-Id: r-1\r\n")
      expect(head).toContain("Access-Control-Allow-Origin: https://shop.example\r\n")
    }
  })

  it("gets deprecation headers and is counted as a deprecated call only after authentication", async () => {
    const routes = new Map([
      [
        "GET",
        { id: "old", isDeprecated: true, headers: ["Deprecation", "@1"], handler: () => Promise.reject(new Error("broken")) },
      ],
    ])
    const failed = await run({ isCached: true, resource: { routes } })
    expect(failed.seen).toContain("deprecated old")
    expect([failed.status, failed.head]).toEqual([500, expect.stringContaining("Deprecation: @1")])
    const refused = await run({ accepts: false, resource: { routes } })
    expect([refused.status, refused.head]).toEqual([401, expect.not.stringContaining("Deprecation")])
  })

  it("gets the handler's error as its response, whether the handler throws or rejects", async () => {
    for (const handler of [
      () => {
        throw httpError("invalid_parameter", "Wrong.")
      },
      async () => {
        throw httpError("invalid_parameter", "Wrong.")
      },
    ]) {
      expect(await run({ isCached: true, handler })).toMatchObject({ status: 400, code: "invalid_parameter" })
    }
  })
})
