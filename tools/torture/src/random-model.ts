/** The model of this run's clients, and the random pets, changes and orders that they request. */
import { randomUUID } from "node:crypto"
import type { Random } from "@petstore/harness/random"
import { ClientsModel, type KnownPet, type OrderIntent, type PetIntent } from "@petstore/model/clients"
import type { Correction } from "@petstore/model/rules"

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

export class RandomModel extends ClientsModel {
  #corrections = 0
  /** Distinguishes this run from every other run on the same store. */
  readonly #run = randomUUID().slice(0, 8)
  /** The pets that a client is changing, or that a change from this round with an unknown outcome concerns. */
  readonly busy = new Set<bigint>()
  /** While this is true, the service must not acknowledge any write that was sent after it became true. */
  isUnconfirmed = false
  /** The requests whose acknowledged writes certainly changed something. Each left one change. */
  readonly written = new Set<string>()
  /** The bodies of the corrections that were sent. Those with a name are different. */
  readonly sentCorrections = new Set<string>()

  constructor() {
    super(() => performance.now())
  }

  /** A new pet with difficult values. */
  newPet(random: Random): PetIntent {
    const number = this.pets.intents.length
    const status = random.pick(statuses)
    const given = {
      name: `${this.#run} ${number}${random.pick(tails)}`,
      categoryId: anyCategory(random),
      ...(status === undefined ? {} : { status }),
    }
    return this.intendPet(given, random.chance(0.5) ? `${this.#run}-${number}` : undefined)
  }

  /** A random correction of one pet. A new name is unique, like the name of a new pet. */
  newCorrection(known: KnownPet, random: Random, withStatus = random.chance(0.35)): Correction {
    return {
      ...(random.chance(0.8) ? { name: this.newName(known, random) } : {}),
      ...(random.chance(0.5) ? { categoryId: anyCategory(random) } : {}),
      ...(withStatus ? { status: random.pick(statuses) } : {}),
    }
  }

  newName({ intent }: KnownPet, random: Random): string {
    this.#corrections += 1
    const name = `${this.#run} again ${this.#corrections}${random.pick(tails)}`
    this.petsByName.set(name, intent)
    return name
  }

  /** The pets that clients currently order and correct. There are only a few, so that clients compete for them. */
  get wantedNow(): ReadonlyArray<KnownPet> {
    return this.pets.known.slice(-4 * wantedAtOnce)
  }

  /** A new order for a recently acknowledged pet, which can usually be ordered. `undefined` if there is no pet yet. */
  newOrder(random: Random): OrderIntent | undefined {
    const latest = this.wantedNow
    const available = latest.filter(({ first }) => first.status === "available").slice(-wantedAtOnce)
    const known = random.pickAny(random.chance(0.9) ? available : latest)
    return known === undefined ? undefined : this.newOrderOf(known.first.id, random)
  }

  newOrderOf(pet: bigint, random: Random): OrderIntent {
    const idempotencyKey = random.chance(0.5) ? `order-${this.orders.intents.length}-${random.seed()}` : undefined
    return this.orders.intend(pet, idempotencyKey)
  }
}
