import { describe, expect, it } from "vitest"
import { planRounds } from "../src/plan.ts"

const faults = ["one", "two", "three"]

describe("planRounds", () => {
  it("makes the same plan from the same seed, and a different plan from a different seed", () => {
    expect(planRounds(7, 10, faults)).toStrictEqual(planRounds(7, 10, faults))
    expect(planRounds(7, 10, faults)).not.toStrictEqual(planRounds(8, 10, faults))
  })

  it("plans the same first rounds for a longer run, so that a shorter run can repeat a failure", () => {
    expect(planRounds(7, 10, faults).slice(0, 4)).toStrictEqual(planRounds(7, 4, faults))
  })

  it("lets each fault strike once before any fault strikes again", () => {
    const struck = planRounds(1, 6, faults).map(({ fault }) => fault)
    expect(new Set(struck.slice(0, 3)).size).toBe(3)
    expect(new Set(struck.slice(3)).size).toBe(3)
  })
})
