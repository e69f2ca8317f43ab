/** What is put off to the end of a turn of the event loop. */
import { setImmediate as endOfTurn } from "node:timers/promises"
import { expect, it } from "vitest"
import { readAnswer } from "../../../src/http/response/read-answer.js"
import { turnEnd } from "../../../src/http/response/turn-end.js"
import { exchangeOf } from "../exchange-of.js"

const server = () => {
  const seen: Array<string> = []
  const { readTogether, sendRead } = turnEnd((work) => {
    seen.push("begin")
    work()
    seen.push("end")
  })
  const handler = readTogether((exchange) => {
    seen.push(exchange.path)
    if (exchange.path === "/broken") throw new Error("told to")
    sendRead(exchange, readAnswer(JSON.stringify(exchange.path)))
  })
  const ask = (url: string) => {
    const { exchange, sent } = exchangeOf({ url })
    void handler(exchange)
    return () => sent().split("\r\n\r\n")[1]
  }
  return { ask, seen }
}

it("reads of one turn are made together when it ends, and each is answered", async () => {
  const { ask, seen } = server()
  const bodies = [ask("/1"), ask("/broken"), ask("/2")]
  expect(seen).toEqual([])
  await endOfTurn()
  expect(seen).toEqual(["begin", "/1", "/broken", "/2", "end"])
  expect(bodies.map((body) => body())).toEqual(['"/1"', expect.stringContaining('"code":"internal_error"'), '"/2"'])
})

it("a lone read is made alone, and the next turn has an end of its own", async () => {
  const { ask, seen } = server()
  const first = ask("/1")
  await endOfTurn()
  const second = ask("/2")
  await endOfTurn()
  expect(seen).toEqual(["/1", "/2"])
  expect([first(), second()]).toEqual(['"/1"', '"/2"'])
})
