/** The random pets, changes and orders that the clients of a run request. */
import type { Pet } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"
import type { Correction, Values } from "@petstore/model/rules"
import { type Intent, Ledger } from "./ledger.ts"

/** Name endings that software easily mangles: not normalised, blank, beyond the BMP, quoted, right-to-left. */
const tails = [
  ...["", " ", "  \u00a0", "é e\u0301", "😀", '"\\', "\u2028", "\u202eabc", "\u0007", "'; --", "%_"],
  "ß".repeat(900),
] as const

const categories = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n] as const

const anyCategory = (random: Random): bigint => (random.chance(0.5) ? random.pick(categories) : BigInt(random.integer(0, 1000)))

const statuses = [undefined, "available", "pending", "sold"] as const

/** How many pets clients order at a time. The number is small, so that clients compete for them. */
const wantedAtOnce = 25

/** The run and the number at the beginning of a name. They are ASCII only, because the conformance kit tests case folding. */
export const beginningOf = (name: string): string => name.match(/^[\w ]*\w/)?.[0] ?? name

export class RandomLedger extends Ledger {
  #drawn = 0
  /** While this is true, the service must not acknowledge any write that was sent after it became true. */
  isUnconfirmed = false

  /** A new pet with difficult values. */
  newPet(random: Random): Intent<Values> {
    this.#drawn += 1
    const status = random.pick(statuses)
    const given = {
      name: `${this.run} ${this.#drawn}${random.pick(tails)}`,
      categoryId: anyCategory(random),
      ...(status === undefined ? {} : { status }),
    }
    return newIntent(given, random.chance(0.5) ? `${this.run}-${this.#drawn}` : undefined)
  }

  /** A random correction of one pet. A new name is unique, like the name of a new pet. */
  newCorrection(random: Random, withStatus = random.chance(0.35)): Correction {
    return {
      ...(random.chance(0.8) ? { name: this.newName(random) } : {}),
      ...(random.chance(0.5) ? { categoryId: anyCategory(random) } : {}),
      ...(withStatus ? { status: random.pick(statuses) } : {}),
    }
  }

  newName(random: Random): string {
    this.#drawn += 1
    return `${this.run} again ${this.#drawn}${random.pick(tails)}`
  }

  /** The pets that clients currently order and correct. There are only a few, so that clients compete for them. */
  get wantedNow(): ReadonlyArray<Pet> {
    return this.pets.slice(-4 * wantedAtOnce)
  }

  /** A new order for a recently acknowledged pet, which can usually be ordered. `undefined` if there is no pet yet. */
  newOrder(random: Random): Intent<bigint> | undefined {
    const latest = this.wantedNow
    const available = latest.filter(({ status }) => status === "available").slice(-wantedAtOnce)
    const pet = random.pickAny(random.chance(0.9) ? available : latest)
    return pet && this.newOrderOf(pet.id, random)
  }

  newOrderOf(pet: bigint, random: Random): Intent<bigint> {
    return newIntent(pet, random.chance(0.5) ? `order-${pet}-${random.seed()}` : undefined)
  }
}

const newIntent = <Given>(given: Given, idempotencyKey: string | undefined): Intent<Given> => ({
  given,
  idempotencyKey,
  known: { atMillis: Number.POSITIVE_INFINITY },
  isUnknown: false,
})
