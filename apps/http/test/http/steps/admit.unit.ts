/** Memory for responses: which requests may use it, and the expected length of the next response. */
import { once } from "node:events"
import { Budget, createBoundedServer } from "@petstore/bounded-http"
import { expect, it, onTestFinished } from "vitest"
import { admit, reserveResponse } from "../../../src/http/steps/admit.js"
import { exchangeOf, resourceOf } from "../exchange-of.js"

/** An exchange whose response belongs to a server with this budget, and which was admitted. */
const serverWith = async (budget: Budget) => {
  const waiting: Array<PromiseWithResolvers<Parameters<Parameters<typeof createBoundedServer>[0]>>> = []
  const server = createBoundedServer((...messages) => waiting.shift()?.resolve(messages), { budget, reserves: true })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const step = admit(65_536)
  const resource = resourceOf(() => {})
  const { port } = Object(server.address())
  return async () => {
    const next = Promise.withResolvers<Parameters<Parameters<typeof createBoundedServer>[0]>>()
    waiting.push(next)
    void fetch(`http://127.0.0.1:${port}/`).catch(() => {})
    const [, res] = await next.promise
    const { exchange } = exchangeOf({ resource })
    const admitted = Object.assign(Object.create(exchange), { res, route: resource.routes.get("GET"), apiKey: {} })
    step(admitted, async () => {})
    return admitted
  }
}

it("reserveResponse reserves memory for a response's bytes, and expects the next response to have the same length", async () => {
  const budget = new Budget(1_000_000)
  const exchange = await serverWith(budget)
  const first = await exchange()
  const requestBytes = budget.bytes
  reserveResponse(first)
  expect(budget.bytes).toBe(requestBytes)
  reserveResponse(first, 100_000)
  reserveResponse(first, 100_000)
  expect(budget.bytes).toBe(requestBytes + 100_000)
  await exchange()
  expect(budget.bytes).toBe(2 * (requestBytes + 100_000))
  for (let more = 0; more < 7; more += 1) await exchange()
  // A response that is shorter than expected needs no additional room.
  reserveResponse(first, 50)
  expect(budget.bytes).toBe(9 * (requestBytes + 100_000))
  await expect(exchange()).rejects.toMatchObject({ object: { code: "service_overloaded" } })
})
