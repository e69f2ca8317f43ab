/** Work that is deferred to the end of a tick. */
import { setImmediate as nextTick } from "node:timers/promises"
import { expect, it } from "vitest"
import { overloaded } from "../../../src/http/refusal.js"
import { endOfTick, type Reserve } from "../../../src/http/response/end-of-tick.js"
import { readResponse } from "../../../src/http/response/read-response.js"
import { exchangeOf } from "../exchange-of.js"

const server = (reserve: Reserve = () => {}) => {
  const seen: Array<string> = []
  const { readTogether, sendRead } = endOfTick((work) => {
    seen.push("begin")
    work()
    seen.push("end")
  }, reserve)
  const handler = readTogether((exchange) => {
    seen.push(exchange.path)
    if (exchange.path === "/broken") throw new Error("told to")
    sendRead(exchange, readResponse(JSON.stringify(exchange.path)))
  })
  const ask = (url: string) => {
    const { exchange, sent } = exchangeOf({ url })
    void handler(exchange)
    return () => sent().split("\r\n\r\n")[1]
  }
  return { ask, seen }
}

it("endOfTick runs all reads of a tick together at the end of the tick, each with its own response", async () => {
  const { ask, seen } = server()
  const bodies = [ask("/1"), ask("/broken"), ask("/2")]
  expect(seen).toEqual([])
  await nextTick()
  expect(seen).toEqual(["begin", "/1", "/broken", "/2", "end"])
  expect(bodies.map((body) => body())).toEqual(['"/1"', expect.stringContaining('"code":"internal_error"'), '"/2"'])
})

it("endOfTick runs a tick's only read alone, and does not wait for the next tick's reads", async () => {
  const { ask, seen } = server()
  const first = ask("/1")
  await nextTick()
  const second = ask("/2")
  await nextTick()
  expect(seen).toEqual(["/1", "/2"])
  expect([first(), second()]).toEqual(['"/1"', '"/2"'])
})

it("endOfTick refuses reads after earlier reads have used up the memory, and unexpectedly long responses", async () => {
  let leftBytes = 5
  const { ask, seen } = server((_exchange, bytes = 1) => {
    if (bytes > leftBytes) throw overloaded
    leftBytes -= bytes
  })
  const bodies = [ask("/1"), ask("/2")]
  await nextTick()
  expect(seen).toEqual(["begin", "/1", "end"])
  expect(bodies.map((body) => body())).toEqual(['"/1"', expect.stringContaining('"code":"service_overloaded"')])
  leftBytes = 2
  const long = ask("/3")
  await nextTick()
  expect(seen.at(-1)).toBe("/3")
  expect(long()).toContain('"code":"service_overloaded"')
})
