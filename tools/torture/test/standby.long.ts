/** `npm run torture -- --store standby`, also through PgBouncer: the primary dies, and its standby takes its place. */
import { expect, it } from "vitest"
import { catchMutant } from "../src/mutants/catch-mutant.ts"
import { totals } from "../src/report.ts"
import type { StoreName } from "../src/stores.ts"
import { torture } from "../src/torture.ts"

const only = ["primary dies", "responses are lost"]

it.each<StoreName>(["standby", "pooler"])("loses nothing when the primary dies twice (%s)", async (store) => {
  const problems: Array<string> = []
  const result = await torture(
    { store, seed: 2, rounds: 4, only },
    { leftOut: ({ name }) => problems.push(`left out: ${name}`), round: (round) => problems.push(...round.problems) },
  )
  expect(problems).toStrictEqual([])
  expect(totals(result)).toMatch(/^[1-9]\d* acknowledged, 0 lost, 0 doubled, 0 altered, 0 resurrected, 0 stale$/)
})

it("catches a primary that acknowledges writes that its standby does not have", async () => {
  const mutant = "acknowledge before the standby has it"
  const caught = await catchMutant(mutant, { store: "standby", seed: 2, rounds: 20, only: ["primary dies"] })
  expect(caught?.problem).toBeDefined()
})
