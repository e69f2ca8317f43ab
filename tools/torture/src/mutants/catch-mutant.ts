/** Tests the kit: a service with a deliberately broken adapter must not pass. */
import { mutantsOf, type StoreName } from "../stores.ts"
import { type Settings, torture } from "../torture.ts"
import { mutations } from "./mutations.ts"

/** The mutations of the adapter and of the store itself. */
export const mutantNames = (store: StoreName): ReadonlyArray<string> => [...Object.keys(mutations), ...mutantsOf(store)]

export interface Caught {
  readonly round: number
  readonly fault: string
  readonly problem: string
}

/** Tortures a mutant until it is caught. Returns `undefined` if it survives all rounds. */
export const catchMutant = async (
  mutant: string,
  settings: Omit<Settings, "mutant" | "stopsAtFirst">,
): Promise<Caught | undefined> => {
  let caught: Caught | undefined
  await torture(
    { ...settings, mutant, stopsAtFirst: true },
    {
      leftOut: () => {},
      round: ({ round, problems, lost, doubled, altered, resurrected }) => {
        if (problems.length + lost + doubled + altered + resurrected === 0) return
        const problem = problems[0] ?? `${lost} lost, ${doubled} doubled, ${altered} altered, ${resurrected} resurrected`
        caught = { round: round.number, fault: round.fault, problem }
      },
    },
  )
  return caught
}
