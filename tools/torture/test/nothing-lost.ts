/** Checks that the service loses nothing in a run. */
import { expect } from "vitest"
import { line, totals } from "../src/report.ts"
import { type Settings, torture } from "../src/torture.ts"

/** The last line of a successful run. */
export const nothingLost = /^[1-9]\d* acknowledged, 0 lost, 0 doubled, 0 altered, 0 resurrected, 0 stale$/

/** Runs rounds. Fails if a fault cannot strike on this machine, or if a round has a problem. */
export const expectNothingLost = async (settings: Settings): Promise<void> => {
  const said: Array<string> = []
  const { findings, failed } = await torture(settings, {
    leftOut: ({ name }) => said.push(`left out: ${name}`),
    round: (round) => {
      if (round.problems.length > 0) said.push(line(round, settings))
    },
  })
  expect(said).toStrictEqual([])
  expect(totals(findings)).toMatch(nothingLost)
  expect(failed).toBeUndefined()
}
