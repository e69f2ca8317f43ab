import { describe, expect, it } from "vitest"
import { commitLatency } from "../../../src/sqlite/engine/commit-latency.js"

/** The latency state after commits with these durations. */
const paceOf = (...millis: ReadonlyArray<number>) => {
  const pace = commitLatency()
  for (const one of millis) pace.observe(one)
  return pace
}
const times = (count: number, millis: number): ReadonlyArray<number> => Array(count).fill(millis)

describe("a disk", () => {
  it("is fast until commits show otherwise", () => expect(paceOf().isSlow()).toBe(false))
  it("is slow after many slow commits", () => expect(paceOf(...times(10, 10)).isSlow()).toBe(true))
  it("is not slow after a single delay of 20 ms", () => expect(paceOf(0.2, 0.2, 20, 0.2).isSlow()).toBe(false))
  it("is slow after one stall of three seconds", () => expect(paceOf(...times(100, 0.2), 3_000).isSlow()).toBe(true))
  it("is fast again 100 fast commits after a stall of a minute", () =>
    expect(paceOf(60_000, ...times(100, 0.2)).isSlow()).toBe(false))
  it("stays slow while only some commits are fast", () => expect(paceOf(...times(10, 10), 0.2, 0.2, 10, 10).isSlow()).toBe(true))
  it("is fast again after commits that take a slow processor 1.5 ms", () =>
    expect(paceOf(...times(10, 10), ...times(30, 1.5)).isSlow()).toBe(false))
  it("is fast again after many fast commits", () => expect(paceOf(...times(10, 10), ...times(30, 0.2)).isSlow()).toBe(false))
})
