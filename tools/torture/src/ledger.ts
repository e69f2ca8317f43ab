/** Records requests and acknowledgements of pets and orders, for the checks. What a list shows never changes the ledger. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import type { NewPet } from "@petstore/conformance/catalogue"
import { type Closing, type Order, statusAfter } from "@petstore/conformance/store-orders"
import type { Pet } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"
import { Book, type Intent, type Known, mostOf } from "./book.ts"
import { type Asked, type Change, type Correction, PetHistory } from "./pet-history.ts"

export type PetIntent = Intent<NewPet>
export type KnownPet = Known<NewPet, Pet>
/** The given value is the id of the pet to order. */
export type OrderIntent = Intent<bigint>
export type KnownOrder = Known<bigint, Order>

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

const showPet = ({ name }: NewPet): string => JSON.stringify(name.slice(0, 60))

const describePet = ({ id, name, categoryId, status }: Pet): string =>
  `${id} ${JSON.stringify(name.slice(0, 60))} in category ${categoryId}${status === undefined ? "" : `, ${status}`}`

const describeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `${id} for pet ${petId}, ${status}, created at ${createdAt}, updated at ${updatedAt}`

/** The run and the number at the beginning of a name. They are ASCII only, because the conformance kit tests case folding. */
export const beginningOf = (name: string): string => name.match(/^[\w ]*\w/)?.[0] ?? name

export const isAsGiven = ({ name, categoryId, status }: Pet, given: NewPet): boolean =>
  name === given.name && categoryId === given.categoryId && status === given.status

export class Ledger {
  #corrections = 0
  /** Distinguishes this run from every other run on the same store. */
  readonly #run = randomUUID().slice(0, 8)
  readonly petsByName = new Map<string, PetIntent>()
  readonly histories = new Map<bigint, PetHistory>()
  readonly #ordersOfPet = new Map<bigint, Array<OrderIntent>>()
  readonly #problems: Array<string> = []
  readonly problem = (text: string): void => void this.#problems.push(text)
  readonly pets = new Book<NewPet, Pet>(this.problem, showPet, describePet)
  readonly orders = new Book<bigint, Order>(this.problem, (pet) => `an order for pet ${pet}`, describeOrder)
  changes = 0
  readonly resurrected = new Set<bigint>()
  stale = 0
  /** While this is true, the service must not acknowledge any write that was sent after it became true. */
  isUnconfirmed = false

  noteStale(text: string): void {
    this.stale += 1
    this.problem(`stale: ${text}`)
  }

  takeProblems(): ReadonlyArray<string> {
    return this.#problems.splice(0)
  }

  /** A new pet with difficult values. Its name is unique, so that the pet can be recognised without an id. */
  newPet(random: Random): PetIntent {
    const number = this.pets.intents.length
    const status = random.pick(statuses)
    const given = {
      name: `${this.#run} ${number}${random.pick(tails)}`,
      categoryId: anyCategory(random),
      ...(status === undefined ? {} : { status }),
    }
    const intent = this.pets.intend(given, random.chance(0.5) ? `${this.#run}-${number}` : undefined)
    this.petsByName.set(given.name, intent)
    return intent
  }

  acknowledgePet(intent: PetIntent, pet: Pet): void {
    if (!isAsGiven(pet, intent.given))
      this.problem(`the 201 for ${showPet(intent.given)} contains a different pet, ${describePet(pet)}`)
    this.pets.acknowledge(intent, pet)
    if (!this.histories.has(pet.id)) this.histories.set(pet.id, new PetHistory(intent.given))
  }

  /** The states that a pet may have, given the requested changes. */
  historyOf(id: bigint): PetHistory {
    return this.histories.get(id) ?? assert.fail(`pet ${id} was never acknowledged`)
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

  /** Records concurrent changes to a pet before they are sent. */
  changing({ first, asked }: KnownPet, ...changes: ReadonlyArray<Change>): ReadonlyArray<Asked> {
    for (const change of changes) if (change !== "remove" && "status" in change) asked.add(change.status)
    return this.historyOf(first.id).asking(...changes)
  }

  /** Records an acknowledged change, with the pet in the 200 response, if any. */
  changed(known: KnownPet, asked: Asked, pet?: Pet): void {
    const { id } = known.first
    const history = this.historyOf(id)
    this.changes += 1
    if (history.isGoneAt(performance.now()) && asked.change !== "remove") {
      this.#resurrect(id, `a correction of removed pet ${id} was acknowledged`)
      return
    }
    history.done(asked)
    if (asked.change !== "remove" && pet !== undefined) {
      this.showPet(known, pet, performance.now())
      const { change } = asked
      if ("status" in change && pet.status !== change.status) {
        this.problem(`a correction to the status ${change.status ?? "null"} returned pet ${describePet(pet)}`)
      }
    }
  }

  /** Records that a read showed a pet, or did not find it. `beganAtMillis` is the start of the read. */
  showPet(known: KnownPet, pet: Pet | undefined, beganAtMillis: number): void {
    const { first } = known
    if (pet !== undefined && pet.id !== first.id) this.problem(`pet ${describePet(pet)} was shown as pet ${first.id}`)
    if (this.isPossible(known, pet, beganAtMillis)) return
    if (pet !== undefined && this.historyOf(first.id).isGoneAt(beganAtMillis))
      this.#resurrect(first.id, `removed pet ${describePet(pet)} was shown`)
    else if (pet === undefined) this.problem(`acknowledged pet ${describePet(first)} was not found`)
    else this.noteStale(`pet ${describePet(pet)} was shown, although these values were out of date when the read began`)
  }

  /** Whether a read that began at the given time is allowed to show these values for a pet, or to report it missing. */
  isPossible({ first, intent, asked }: KnownPet, pet: Pet | undefined, beganAtMillis: number): boolean {
    const isOrdered = this.isOrdered(first.id)
    if (!this.historyOf(first.id).mayShow(pet, beganAtMillis, !isOrdered)) return false
    return pet === undefined || pet.status === intent.given.status || asked.has(pet.status)
  }

  #resurrect(id: bigint, text: string): void {
    this.resurrected.add(id)
    this.problem(`resurrected: ${text}`)
  }

  /** Whether the pet certainly exists and its orders alone decide its status. */
  readonly isLeftToOrders = (pet: bigint): boolean => this.histories.get(pet)?.isChanged !== true

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
    const intent = this.orders.intend(pet, idempotencyKey)
    this.#ordersOfPet.set(pet, [...(this.#ordersOfPet.get(pet) ?? []), intent])
    return intent
  }

  /** Whether an order for the pet was ever sent, so that an order may be holding it. */
  isOrdered(pet: bigint): boolean {
    return this.#ordersOfPet.get(pet)?.some(({ sent }) => sent > 0) === true
  }

  mostOrders(pet: bigint): number {
    return (this.#ordersOfPet.get(pet) ?? []).reduce((sum, intent) => sum + mostOf(intent), 0)
  }

  /** Records an order before it is sent. From then on, its pet may be pending. */
  sendingOrder(intent: OrderIntent): void {
    this.orders.sending(intent)
    this.pets.get(intent.given).asked.add("pending")
  }

  acknowledgeOrder(intent: OrderIntent, order: Order): void {
    const is = `the 201 for an order for pet ${intent.given}`
    if (order.petId !== intent.given) this.problem(`${is} contains an order for pet ${order.petId}`)
    if (order.status !== "placed" || order.updatedAt !== order.createdAt)
      this.problem(`${is} contains an order that is not newly placed`)
    const { first, asked } = this.pets.get(intent.given)
    if (first.status !== "available" && !asked.has("available")) this.problem(`${is}, but the pet was never available`)
    this.orders.acknowledge(intent, order)
  }

  /** Records a 409 or 404, for which the service must have had a reason. A retry must never be refused. */
  refusedOrder(intent: OrderIntent, isRepeated: boolean): void {
    intent.unknown -= 1
    const pet = intent.given
    const sent = (this.#ordersOfPet.get(pet) ?? []).reduce((sum, other) => sum + other.sent, 0)
    if (sent === 1 && this.pets.get(pet).first.status === "available" && this.isLeftToOrders(pet)) {
      this.problem(`the first order for available pet ${pet} was refused`)
    }
    if (isRepeated) this.problem(`an idempotency key that created an order for pet ${pet} was refused on a retry`)
  }

  /** Records the closing of an order before it is requested. From then on, the pet may have the resulting status. */
  closingOrder(order: KnownOrder, closing: Closing): void {
    order.asked.add(statusAfter[closing])
    if (closing === "complete") this.pets.get(order.first.petId).asked.add("sold")
  }

  /** Records an order from a response. A closed order must stay unchanged. */
  showOrder(order: KnownOrder, shown: Order): void {
    const { first } = order
    const is = `order ${first.id} for pet ${first.petId}`
    if (shown.id !== first.id || shown.petId !== first.petId || shown.createdAt !== first.createdAt) {
      this.problem(`${is}, created at ${first.createdAt}, was shown as order ${describeOrder(shown)}`)
    }
    if (shown.status === "placed") return
    if (order.shown.status !== "placed" && (order.shown.status !== shown.status || order.shown.updatedAt !== shown.updatedAt)) {
      this.problem(`${is} was shown as ${describeOrder(order.shown)} and then as ${describeOrder(shown)}`)
    }
    order.shown = shown
  }
}
