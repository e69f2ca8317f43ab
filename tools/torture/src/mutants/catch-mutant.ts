/** Tests the kit: a service with a deliberately broken adapter must not pass. */
import { type Caught, totals } from "../report.ts"
import { type StoreKind, type StoreName, stores } from "../stores.ts"
import { isWell, type Settings, torture } from "../torture.ts"
import { mutations } from "./mutations.ts"

/** The mutations of the adapter and of the store itself. */
export const mutantNames = (store: StoreName): ReadonlyArray<string> => {
  const { mutants = [] }: StoreKind = stores[store]
  return [...Object.keys(mutations), ...mutants]
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
      round: (result) => {
        const { round, problems } = result
        if (!isWell(result)) caught = { round: round.number, fault: round.fault.name, problem: problems[0] ?? totals(result) }
      },
    },
  )
  return caught
}
