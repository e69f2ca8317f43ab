/** `npm run torture -- --store citus`: cluster nodes that die or hang. */
import { expect, it } from "vitest"
import { totals } from "../src/report.ts"
import { torture } from "../src/torture.ts"

const only = ["worker is killed", "worker says nothing", "coordinator is killed"]

it("loses nothing in rounds with every node fault", async () => {
  const problems: Array<string> = []
  const result = await torture(
    { store: "citus", seed: 20, rounds: 6, only },
    { leftOut: ({ name }) => problems.push(`left out: ${name}`), round: (round) => problems.push(...round.problems) },
  )
  expect(problems).toStrictEqual([])
  expect(totals(result)).toMatch(/^[1-9]\d* acknowledged, 0 lost, 0 doubled, 0 altered, 0 resurrected, 0 stale$/)
})
