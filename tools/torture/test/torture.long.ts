/** A short run with the faults that need only npm. `faults.long.ts` runs the other faults. */
import { describe, expect, it } from "vitest"
import { faults } from "../src/faults.ts"
import { catchMutant } from "../src/mutants/catch-mutant.ts"
import { line, totals } from "../src/report.ts"
import type { Need } from "../src/stores.ts"
import { torture } from "../src/torture.ts"

/** Faults that need more programs, or do not apply to SQLite. */
const elsewhere: ReadonlyArray<Need> = ["strace", "small disk", "database server", "cluster"]

const everywhere = faults.filter(({ needs }) => !needs.some((need) => elsewhere.includes(need))).map(({ name }) => name)

it(`loses nothing under these faults: ${everywhere.join(", ")}`, async () => {
  const said: Array<string> = []
  const result = await torture(
    { store: "sqlite", seed: 4, rounds: everywhere.length, only: everywhere },
    {
      leftOut: ({ name }) => said.push(`left out: ${name}`),
      round: (round) => {
        if (round.problems.length > 0) said.push(line(round, { store: "sqlite", seed: 4 }))
      },
    },
  )
  expect(said).toStrictEqual([])
  expect(totals(result)).toMatch(/^[1-9]\d* acknowledged, 0 lost, 0 doubled, 0 altered, 0 resurrected, 0 stale$/)
  expect(result.isWell).toBe(true)
})

describe("an adapter that is broken on purpose", () => {
  it.each([
    "acknowledge before commit",
    "drop a row on restart",
    "give an id twice",
    "lose an idempotency row",
    "acknowledge the end of an order before commit",
    "order by read-then-write",
    "lose a correction",
    "resurrect a removed pet on restart",
  ])("is caught: %s", async (mutant) => {
    const caught = await catchMutant(mutant, { store: "sqlite", seed: 5, rounds: 100, only: ["kill"] })
    // The unbroken service passes these rounds: see above.
    expect(caught).toBeDefined()
  })
})
