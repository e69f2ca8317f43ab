/** Tests the response to a request that fails after its response has started. */
import { setImmediate as endOfTick } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { attempt } from "../../src/http/exchange.js"
import { exchangeOf } from "./exchange-of.js"

const start = () => {
  const logged: Array<unknown> = []
  return { logged, ...exchangeOf({ logger: { error: (facts: unknown) => void logged.push(facts) } }) }
}

describe("a failure", () => {
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
