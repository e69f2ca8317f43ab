/** Tests the response to a request that fails at once, later, or after its response has started. */
import { setImmediate as endOfTick } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { httpError } from "../../src/http/error-response.js"
import { attempt } from "../../src/http/exchange.js"
import { exchangeOf } from "./exchange-of.js"

const start = () => {
  const logged: Array<unknown> = []
  return { logged, ...exchangeOf({ logger: { error: (facts: unknown) => void logged.push(facts) } }) }
}

describe("a failure", () => {
  it.each([
    [
      "thrown at once",
      () => {
        throw httpError("rate_limited", "Slow down.")
      },
    ],
    ["thrown later", () => Promise.reject(httpError("rate_limited", "Slow down."))],
  ])("gets a response when it is %s, and is not logged if the caller caused it", async (_when, work) => {
    const { exchange, logged, sent } = start()
    attempt(exchange, work)
    await endOfTick()
    expect(sent()).toMatch(/^HTTP\/1\.1 429 [\s\S]*\{"code":"rate_limited","message":"Slow down\.","status":429\}$/)
    expect(logged).toEqual([])
  })

  it("is logged with its stack if it is unexpected, and reveals nothing to the client", async () => {
    const { exchange, logged, sent } = start()
    const thrown = new Error("our secret")
    exchange.requestId = "r-1"
    attempt(exchange, () => Promise.reject(thrown))
    await endOfTick()
    expect(sent()).toMatch(/^HTTP\/1\.1 500 [\s\S]*"internal_error"/)
    expect(sent()).not.toContain("our secret")
    expect(logged).toEqual([{ requestId: "r-1", err: thrown }])
  })

  it("closes the connection and does nothing else if the response has already started", async () => {
    for (const work of [
      () => {
        throw new Error("too late")
      },
      () => Promise.reject(new Error("too late")),
    ]) {
      const { exchange, logged } = start()
      exchange.respond = false
      exchange.res.writeHead(200, ["Content-Length", "100"])
      exchange.res.write("a part")
      // An escaped error would be unhandled, which would fail this run.
      attempt(exchange, work)
      await endOfTick()
      expect(exchange.res.destroyed).toBe(true)
      expect(logged).toHaveLength(2)
    }
  })
})
