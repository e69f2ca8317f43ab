import { describe, expect, it } from "vitest"
import { Timeline } from "../src/timeline.ts"

const never = Number.POSITIVE_INFINITY

/** Becomes b by a request without a response, then c. */
const abc = () =>
  new Timeline("a", [
    { state: "b", sentAtMillis: 10, knownAtMillis: never },
    { state: "c", sentAtMillis: 20, knownAtMillis: 30 },
  ])

/** Whether reads of these states, by the times at which they began and ended, are possible. */
const shown = (timeline: Timeline<string>, ...reads: ReadonlyArray<readonly [began: number, ended: number, state: string]>) =>
  reads.map(([began, ended, state]) => timeline.shows((one) => one === state, began, ended))

describe("Timeline", () => {
  it("has a state from its request until a response tells of a later one", () => {
    expect(shown(abc(), [0, 9, "a"], [0, 9, "b"])).toStrictEqual([true, false])
    expect(shown(abc(), [0, 11, "a"], [29, 40, "a"])).toStrictEqual([true, true])
    expect(shown(abc(), [11, 12, "b"], [29, 40, "b"])).toStrictEqual([true, true])
    expect(shown(abc(), [31, 40, "a"], [31, 40, "b"], [31, 40, "c"])).toStrictEqual([false, false, true])
    expect(shown(abc(), [0, 19, "c"], [0, 99, "d"])).toStrictEqual([false, false])
  })

  it("does not go back after a read, unless the reads overlap", () => {
    expect(shown(abc(), [11, 15, "b"], [14, 16, "a"], [16, 17, "a"], [16, 17, "b"])).toStrictEqual([true, true, false, true])
    expect(shown(abc(), [21, 22, "c"], [23, 24, "b"])).toStrictEqual([true, false])
  })

  it("is out of order if a change was sent after the response to a later one", () => {
    expect(abc().isInOrder).toBe(true)
    const late = { state: "b", sentAtMillis: 31, knownAtMillis: 40 }
    const early = { state: "c", sentAtMillis: 20, knownAtMillis: 30 }
    expect(new Timeline("a", [early, late]).isInOrder).toBe(true)
    expect(new Timeline("a", [late, early]).isInOrder).toBe(false)
  })
})
