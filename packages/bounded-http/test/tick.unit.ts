/** Tests how much work a tick starts, and for which connections. */
import { once } from "node:events"
import { setImmediate as nextTick } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { Tick } from "../src/tick.js"

it("a tick gives each connection a turn before any connection gets a second one, and has at most 128 turns", async () => {
  const tick = new Tick()
  const turns: Array<number> = []
  for (let caller = 0; caller < 200; caller += 1) {
    const turn = (): void => {
      turns.push(caller)
      tick.later(turn)
    }
    tick.later(turn)
  }
  await nextTick()
  expect(turns).toHaveLength(128)
  await nextTick()
  expect(new Set(turns.slice(0, 200)).size).toBe(200)
})

it("a tick that has accepted a connection starts little work, because other connections may be waiting", async () => {
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

it("an error in a turn does not keep the others waiting", async () => {
  const others = process.rawListeners("uncaughtException")
  process.removeAllListeners("uncaughtException")
  onTestFinished(() => {
    for (const listener of others) Reflect.apply(process.on, process, ["uncaughtException", listener])
  })
  const uncaught = once(process, "uncaughtException")
  const tick = new Tick()
  tick.later(() => {
    throw new Error("a listener's")
  })
  await new Promise<void>((resolve) => tick.later(resolve))
  expect((await uncaught)[0]).toStrictEqual(new Error("a listener's"))
})

it("a turn's excess cost delays the turns of the next tick, and a cancelled turn does not run", async () => {
  const tick = new Tick()
  expect(tick.take(300)).toBe(true)
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

it("long responses delay the turns and the first requests of other connections, but the next tick has a turn", async () => {
  const tick = new Tick()
  let turns = 0
  const turn = (): void => {
    turns += 1
    tick.later(turn)
  }
  tick.later(turn)
  tick.later(() => turn())
  expect(tick.mayBegin).toBe(true)
  // A response that its listener sends later delays no first request.
  tick.wrote(10_000)
  expect(tick.mayBegin).toBe(true)
  tick.begin(() => tick.wrote(10_000))
  expect(tick.mayBegin).toBe(false)
  expect(tick.take(1)).toBe(false)
  await nextTick()
  expect(turns).toBe(1)
  expect(tick.mayBegin).toBe(true)
})
