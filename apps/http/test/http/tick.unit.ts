/** Tests how much work a tick starts, and for which connections. */
import { setImmediate as nextTick } from "node:timers/promises"
import { expect, it } from "vitest"
import { Tick } from "../../src/http/tick.js"

it("gives each connection a turn before any connection gets a second one, with at most 256 turns in a tick", async () => {
  const tick = new Tick()
  const turns: Array<number> = []
  for (let caller = 0; caller < 300; caller += 1) {
    const turn = (): void => {
      turns.push(caller)
      tick.later(turn)
    }
    tick.later(turn)
  }
  await nextTick()
  expect(turns).toHaveLength(256)
  await nextTick()
  expect(new Set(turns.slice(0, 300)).size).toBe(300)
})

it("starts little work in a tick that has accepted a connection, because other connections may be waiting", async () => {
  const tick = new Tick()
  let turns = 0
  const turn = (): void => {
    turns += 1
    tick.later(turn)
  }
  for (let caller = 0; caller < 300; caller += 1) tick.later(() => turn())
  while (tick.take(1));
  tick.accepted()
  await nextTick()
  expect(turns).toBeLessThan(20)
  await nextTick()
  expect(turns).toBeGreaterThan(20)
})

it("subtracts the excess cost of a turn from the next tick, and drops a cancelled turn", async () => {
  const tick = new Tick()
  expect(tick.take(600)).toBe(true)
  let hasCome = false
  const turn = (): void => {
    hasCome = true
  }
  const cancelled = (): void => {
    throw new Error("a cancelled turn ran")
  }
  tick.later(turn)
  tick.later(cancelled)
  tick.cancel(cancelled)
  await nextTick()
  expect(hasCome).toBe(false)
  await nextTick()
  expect(hasCome).toBe(true)
})
