/** How often the log says that the database is unavailable. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { unavailableLog } from "../../src/http/unavailable-log.js"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it("each reason is logged once in full, and its repetitions every 10 s as a number", () => {
  const lines: Array<unknown> = []
  const log = unavailableLog({ error: (...line: ReadonlyArray<unknown>) => void lines.push(line) })
  const full = new Error("disk is full")
  for (let count = 0; count < 5_000; count += 1) log({ requestId: `r${count}`, err: full }, "The database is unavailable.")
  log({ requestId: "other", err: new Error("locked") }, "The database is unavailable.")
  expect(lines).toEqual([
    [{ requestId: "r0", err: full }, "The database is unavailable."],
    [{ requestId: "other", err: new Error("locked") }, "The database is unavailable."],
  ])
  vi.advanceTimersByTime(10_000)
  expect(lines.slice(2)).toEqual([[{ times: 4_999 }, "disk is full (again, in 10 s)"]])
  log({ requestId: "later", err: full }, "The database is unavailable.")
  expect(lines).toHaveLength(4)
})

it("a thousand reasons are not a thousand lines", () => {
  let lines = 0
  const log = unavailableLog({
    error: () => {
      lines += 1
    },
  })
  for (let count = 0; count < 1_000; count += 1) log({ requestId: "r", err: new Error(`reason ${count}`) }, "Unavailable.")
  expect(lines).toBe(17)
})
