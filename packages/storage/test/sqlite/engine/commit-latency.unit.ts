/** When a disk counts as slow. */
import { describe, expect, it } from "vitest"
import { commitLatency } from "../../../src/sqlite/engine/commit-latency.js"

/** The state after these commits. */
const paceOf = (...millis: ReadonlyArray<number>) => {
  const pace = commitLatency()
  for (const one of millis) pace.observe(one)
  return pace
}
const times = (count: number, millis: number): ReadonlyArray<number> => Array(count).fill(millis)

describe("a disk", () => {
  it("is quick until commits have shown otherwise", () => expect(paceOf().isSlow()).toBe(false))
  it("is slow when commit after commit is slow", () => expect(paceOf(...times(10, 10)).isSlow()).toBe(true))
  it("is not slow after a single hiccup of some milliseconds", () => expect(paceOf(0.2, 0.2, 20, 0.2).isSlow()).toBe(false))
  it("is slow after one stall", () => expect(paceOf(...times(100, 0.2), 3_000).isSlow()).toBe(true))
  it("is quick again after a stall of a minute and some dozen quick commits", () =>
    expect(paceOf(60_000, ...times(100, 0.2)).isSlow()).toBe(false))
  it("stays slow as long as only some commits are quick", () =>
    expect(paceOf(...times(10, 10), 0.2, 0.2, 10, 10).isSlow()).toBe(true))
  it("is quick again when commit after commit is quick", () =>
    expect(paceOf(...times(10, 10), ...times(30, 0.2)).isSlow()).toBe(false))
})
