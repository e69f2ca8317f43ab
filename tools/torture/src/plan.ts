/** Plans the faults from a seed. The same seed always results in the same plan. */
import { Random } from "@petstore/harness/random"

export interface Round<Fault = unknown> {
  /** Starts at 1. */
  readonly number: number
  readonly fault: Fault
  /** How long the load runs before the fault strikes, in ms. */
  readonly afterMillis: number
  readonly lastsMillis: number
  /** Whether the service is killed during the fault, so that its memory cannot hide that data is missing from the disk. */
  readonly isKilled: boolean
  /** How long the load continues after the recovery, in ms. */
  readonly afterwardsMillis: number
  /** The seed for everything else in this round. */
  readonly seed: number
}

/** Plans the rounds. Each fault occurs once before any fault occurs again. */
export const planRounds = <Fault>(seed: number, rounds: number, faults: ReadonlyArray<Fault>): ReadonlyArray<Round<Fault>> => {
  const random = new Random(seed)
  const planned: Array<Round<Fault>> = []
  while (planned.length < rounds && faults.length > 0) {
    for (const fault of random.shuffle(faults)) {
      const round = {
        number: planned.length + 1,
        fault,
        afterMillis: random.integer(50, 400),
        lastsMillis: random.integer(50, 350),
        isKilled: random.chance(0.5),
        afterwardsMillis: random.integer(20, 120),
        seed: random.seed(),
      }
      if (planned.length < rounds) planned.push(round)
    }
  }
  return planned
}
