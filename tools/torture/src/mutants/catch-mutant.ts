/** Proves the kit: a service whose adapter is broken on purpose must not pass. */
import { torture } from "../torture.ts"
import { mutations } from "./mutations.ts"

export const mutantNames: ReadonlyArray<string> = Object.keys(mutations)

/** How a mutant was caught. */
export interface Caught {
  readonly round: number
  readonly fault: string
  readonly problem: string
}

/** Tortures a mutant until it is caught. `undefined` if it lived through all rounds. */
export const catchMutant = async (
  mutant: string,
  seed: number,
  rounds: number,
  only?: ReadonlyArray<string>,
): Promise<Caught | undefined> => {
  let caught: Caught | undefined
  const settings = { seed, rounds, mutant, stopsAtFirst: true, ...(only === undefined ? {} : { only }) }
  await torture(settings, {
    leftOut: () => {},
    round: ({ round, problems, lost, doubled, altered }) => {
      if (problems.length + lost + doubled + altered === 0) return
      caught = {
        round: round.number,
        fault: round.fault,
        problem: problems[0] ?? `${lost} lost, ${doubled} doubled, ${altered} altered`,
      }
    },
  })
  return caught
}
