/**
 * What was asked of the service and what it acknowledged: the truth that the
 * catalogue is held against. It never learns from the catalogue.
 */
import { randomUUID } from "node:crypto"
import type { NewPet } from "@petstore/conformance/catalogue"
import type { Pet } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"

/** One pet that somebody wanted, whatever came of it. Its name is its own, so that it is known again without an id. */
export interface Intent {
  readonly given: NewPet
  /** With an idempotency key, however many requests make one pet; without, each may make one. */
  readonly idempotencyKey: string | undefined
  /** Requests that left whole. One that was cut off is not counted: it must make nothing. */
  sent: number
  /** The ids of its 201s. */
  readonly acknowledged: Set<bigint>
  /**
   * The statuses that the pet may be found in: the given one, and those that
   * orders of it asked for. Which of them it has to be in, its orders say.
   */
  readonly statuses: Set<string | undefined>
}

/** How many pets an intent may have made. */
export const mostPets = ({ idempotencyKey, sent }: Intent): number => (idempotencyKey === undefined ? sent : Math.min(sent, 1))

/** Names that are easily damaged: not normalised, white space at the ends, beyond the BMP, quotes, right to left. */
const tails = [
  "",
  " ",
  "  \u00a0",
  "é e\u0301",
  "😀",
  '"\\',
  "\u2028",
  "\u202eabc",
  "\u0007",
  "'; --",
  "%_",
  "ß".repeat(900),
] as const

const categories = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n] as const

const statuses = [undefined, "available", "pending", "sold"] as const

export class Ledger {
  /** Tells this run from every other on the same store. */
  readonly #run = randomUUID().slice(0, 8)
  readonly #byName = new Map<string, Intent>()
  readonly #byId = new Map<bigint, Intent>()
  readonly #ids: Array<bigint> = []
  readonly #problems: Array<string> = []
  /** How often an id was acknowledged for two pets, or a second id for one idempotency key. */
  idsGivenTwice = 0
  /** How often an answer was older than the moment in which it was asked for. */
  stale = 0
  /** Whether no write that leaves now may be acknowledged before this is over. */
  isUnconfirmed = false

  /** Notes an answer that was older than the moment in which it was asked for. */
  noteStale(text: string): void {
    this.stale += 1
    this.problem(`stale: ${text}`)
  }

  /** Ids in the order in which they were acknowledged. */
  get acknowledgedIds(): ReadonlyArray<bigint> {
    return this.#ids
  }

  /** Notes something that the service must never do. */
  problem(text: string): void {
    this.#problems.push(text)
  }

  /** The problems noted since this was asked last. */
  takeProblems(): ReadonlyArray<string> {
    return this.#problems.splice(0)
  }

  /** A new intent, drawn from what is hard to keep. */
  intent(random: Random): Intent {
    const number = this.#byName.size
    const status = random.pick(statuses)
    const given = {
      name: `${this.#run} ${number}${random.pick(tails)}`,
      categoryId: random.chance(0.5) ? random.pick(categories) : BigInt(random.integer(0, 1000)),
      ...(status === undefined ? {} : { status }),
    }
    const idempotencyKey = random.chance(0.5) ? `${this.#run}-${number}` : undefined
    const intent = { given, idempotencyKey, sent: 0, acknowledged: new Set<bigint>(), statuses: new Set([given.status]) }
    this.#byName.set(given.name, intent)
    return intent
  }

  /** Takes note of a 201. */
  acknowledge(intent: Intent, pet: Pet): void {
    if (!isAsGiven({ ...intent, statuses: new Set([intent.given.status]) }, pet))
      this.problem(`the 201 for ${show(intent)} has another pet: ${describePet(pet)}`)
    const owner = this.#byId.get(pet.id)
    const isSecondOfKey = intent.idempotencyKey !== undefined && intent.acknowledged.size > 0 && !intent.acknowledged.has(pet.id)
    const isTaken = owner !== undefined && (owner !== intent || intent.idempotencyKey === undefined)
    if (isSecondOfKey) this.problem(`the idempotency key of ${show(intent)} made a second pet, ${pet.id}`)
    if (isTaken) this.problem(`the id ${pet.id} was given to ${show(owner)} and again to ${show(intent)}`)
    if (isSecondOfKey || isTaken) this.idsGivenTwice += 1
    intent.acknowledged.add(pet.id)
    if (owner !== undefined) return
    this.#byId.set(pet.id, intent)
    this.#ids.push(pet.id)
  }

  /** The intent that a pet of the catalogue belongs to. */
  intentOf({ name }: Pet): Intent | undefined {
    return this.#byName.get(name)
  }

  /** The intent that was acknowledged with this id. */
  intentOfId(id: bigint): Intent | undefined {
    return this.#byId.get(id)
  }
}

/** Whether a pet is what was asked for, in a status that it may have. */
export const isAsGiven = ({ given, statuses: allowed }: Intent, { name, categoryId, status }: Pet): boolean =>
  name === given.name && categoryId === given.categoryId && allowed.has(status)

export const describePet = ({ id, name, categoryId, status }: Pet): string =>
  `${id} ${JSON.stringify(name.slice(0, 60))} of ${categoryId}${status === undefined ? "" : `, ${status}`}`

export const show = ({ given }: Intent): string => JSON.stringify(given.name.slice(0, 60))
