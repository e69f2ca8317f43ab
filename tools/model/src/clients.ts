/**
 * The model for concurrent clients, some of whose requests get no response: what they sent, what the service acknowledged, and the
 * states that each pet and its orders may therefore be in. It collects a sentence for each response that cannot be right.
 */
import { Creations, type Intent, type Known } from "./creations.ts"
import type { Asked, MayBe } from "./may-be.ts"
import { Model, type ModelPet } from "./model.ts"
import { type Cell, type Change, type Closing, changing, closing, isSameValues, ordering, type Values } from "./rules.ts"

export interface Order {
  readonly id: bigint
  readonly petId: bigint
  readonly status: string
  readonly createdAt: string
  readonly updatedAt: string
}

export type Pet = ModelPet
export type PetIntent = Intent<Values>
export type KnownPet = Known<Values, Pet>
/** The given value is the id of the pet to order. */
export type OrderIntent = Intent<bigint>
export type KnownOrder = Known<bigint, Order>

/** A change of a pet that was sent. */
export interface Sent {
  readonly change: Change
  readonly asked: Asked<Cell>
}

const showPet = ({ name }: Values): string => JSON.stringify(name.slice(0, 60))

const describePet = ({ id, name, categoryId, status }: Pet): string =>
  `${id} ${JSON.stringify(name.slice(0, 60))} in category ${categoryId}${status === undefined ? "" : `, ${status}`}`

const describeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `${id} for pet ${petId}, ${status}, created at ${createdAt}, updated at ${updatedAt}`

export class ClientsModel {
  readonly now: () => number
  readonly #store: Model
  readonly petsByName = new Map<string, PetIntent>()
  readonly #problems: Array<string> = []
  readonly problem = (text: string): void => void this.#problems.push(text)
  readonly pets = new Creations<Values, Pet>(this.problem, showPet, describePet)
  readonly orders = new Creations<bigint, Order>(this.problem, (pet) => `an order for pet ${pet}`, describeOrder)
  /** The newest request for each order intent, and the order's key in its pet's states. */
  readonly #placings = new Map<OrderIntent, { readonly key: bigint; readonly asked: Asked<Cell> }>()
  readonly #keys = new Map<bigint, bigint>()
  #placed = 0n
  readonly #ordered = new Set<bigint>()
  readonly #removalAsked = new Set<bigint>()
  changes = 0
  readonly resurrected = new Set<bigint>()
  stale = 0

  constructor(now: () => number) {
    this.now = now
    this.#store = new Model(now)
  }

  noteStale(text: string): void {
    this.stale += 1
    this.problem(`stale: ${text}`)
  }

  takeProblems(): ReadonlyArray<string> {
    return this.#problems.splice(0)
  }

  /** Notes a request for a new pet. Its name is unique, so that the pet can be recognised without an id. */
  intendPet(values: Values, idempotencyKey: string | undefined): PetIntent {
    const intent = this.pets.intend(values, idempotencyKey)
    this.petsByName.set(values.name, intent)
    return intent
  }

  acknowledgePet(intent: PetIntent, pet: Pet): void {
    if (!isSameValues(pet, intent.given))
      this.problem(`the 201 for ${showPet(intent.given)} contains a different pet, ${describePet(pet)}`)
    this.pets.acknowledge(intent, pet)
    if (!this.#store.cells.has(pet.id)) this.#store.create(pet.id, intent.given)
  }

  #cellOf(pet: bigint): MayBe<Cell> {
    const cell = this.#store.cells.get(pet)
    if (cell === undefined) throw new Error(`pet ${pet} was never acknowledged`)
    return cell
  }

  /** Records a change to a pet before it is sent. It has a condition if it carries the tag of the values in `seen`. */
  changing(known: KnownPet, change: Change, seen?: Values, turn = this.nextTurn(known)): Sent {
    const { id } = known.first
    if (change === "remove") this.#removalAsked.add(id)
    const holds = (values: Values): boolean => seen === undefined || isSameValues(values, seen)
    return { change, asked: this.#cellOf(id).ask(changing(change, holds), turn) }
  }

  /** The place of a change after all earlier ones of the pet. Concurrent changes have the same place, and the same condition. */
  nextTurn({ first: { id } }: KnownPet): number {
    return this.#cellOf(id).nextTurn()
  }

  /** Records an acknowledged change, with the pet in the 200 response, if any. */
  changed({ first: { id } }: KnownPet, { asked, change }: Sent, pet?: Pet): void {
    const cell = this.#cellOf(id)
    const wasGone = this.isGone(id, asked.atMillis)
    this.changes += 1
    if (cell.done(asked, ({ values }) => pet === undefined || isSameValues(values, pet))) return
    if (wasGone) this.#resurrect(id, `a ${change === "remove" ? "removal" : "correction"} of removed pet ${id} was acknowledged`)
    else this.problem(`a change of pet ${id} that cannot have happened was acknowledged${pet ? ` with ${describePet(pet)}` : ""}`)
  }

  /** Records a refused change. Returns whether the pet may have been in a state that refuses it. */
  refused({ first: { id } }: KnownPet, { asked }: Sent, code: string): boolean {
    return this.#cellOf(id).refused(asked, code)
  }

  /** Records that a read showed a pet, or did not find it. `beganAtMillis` is the start of the read. */
  showPet(known: KnownPet, pet: Pet | undefined, beganAtMillis: number): void {
    const { first } = known
    if (pet !== undefined && pet.id !== first.id) this.problem(`pet ${describePet(pet)} was shown as pet ${first.id}`)
    if (this.isPossible(known, pet, beganAtMillis)) return
    if (pet !== undefined && this.isGone(first.id, beganAtMillis))
      this.#resurrect(first.id, `removed pet ${describePet(pet)} was shown`)
    else if (pet === undefined) this.problem(`acknowledged pet ${describePet(first)} was not found`)
    else this.noteStale(`pet ${describePet(pet)} was shown, although it cannot have had these values since the read began`)
  }

  /** Whether a read that began at the given time is allowed to show these values for a pet, or to report it missing. */
  isPossible({ first: { id } }: KnownPet, pet: Pet | undefined, beganAtMillis: number): boolean {
    return this.#cellOf(id).shows(({ values }) => isSameValues(values, pet), beganAtMillis)
  }

  /** Whether the pet was certainly gone at the given time, whatever the outcome of its requests. */
  isGone(id: bigint, millis: number): boolean {
    return this.#cellOf(id).isCertain(({ values }) => values === undefined, millis)
  }

  #resurrect(id: bigint, text: string): void {
    this.resurrected.add(id)
    this.problem(`resurrected: ${text}`)
  }

  mayBeRemoved(pet: bigint): boolean {
    return this.#removalAsked.has(pet)
  }

  /** Whether an order for the pet was ever sent, so that an order may be holding it. */
  isOrdered(pet: bigint): boolean {
    return this.#ordered.has(pet)
  }

  /** Records an order before it is sent. Each request may place an order, but all requests with one key place one. */
  sendingOrder(intent: OrderIntent): void {
    const { given: pet, idempotencyKey, acknowledged } = intent
    this.orders.sending(intent)
    this.#ordered.add(pet)
    if (idempotencyKey !== undefined && (acknowledged.size > 0 || this.#placings.has(intent))) return
    this.#placed += 1n
    this.#placings.set(intent, { key: this.#placed, asked: this.#cellOf(pet).ask(ordering(this.#placed)) })
  }

  acknowledgeOrder(intent: OrderIntent, order: Order): void {
    const { given: pet } = intent
    const is = `the 201 for an order for pet ${pet}`
    if (order.petId !== pet) this.problem(`${is} contains an order for pet ${order.petId}`)
    if (order.status !== "placed" || order.updatedAt !== order.createdAt)
      this.problem(`${is} contains an order that is not newly placed`)
    this.orders.acknowledge(intent, order)
    const placing = this.#placings.get(intent)
    if (placing === undefined) return
    this.#placings.delete(intent)
    if (!this.#cellOf(pet).done(placing.asked)) this.problem(`${is}, but the pet was not available`)
    if (!this.#keys.has(order.id)) this.#keys.set(order.id, placing.key)
  }

  /** Records a 409 or 404, for which the service must have had a reason. A retry must never be refused. */
  refusedOrder(intent: OrderIntent, isRepeated: boolean, code: string): void {
    intent.unknown -= 1
    const { given: pet, unknown, idempotencyKey } = intent
    if (isRepeated) this.problem(`an idempotency key that created an order for pet ${pet} was refused on a retry`)
    const placing = this.#placings.get(intent)
    if (placing === undefined) return
    const isOver = idempotencyKey === undefined || unknown === 0
    if (isOver) this.#placings.delete(intent)
    const cell = this.#cellOf(pet)
    if (!(isOver ? cell.refused(placing.asked, code) : cell.refuses(placing.asked, code)))
      this.problem(`an order for pet ${pet} was refused with ${code}, for which there was no reason`)
  }

  /** Records the closing of an order before it is requested. */
  closingOrder({ first }: KnownOrder, how: Closing): Asked<Cell> {
    return this.#cellOf(first.petId).ask(closing(this.#keyOf(first.id), how))
  }

  closedOrder(order: KnownOrder, asked: Asked<Cell>, shown: Order): void {
    if (!this.#cellOf(order.first.petId).done(asked)) this.problem(`order ${describeOrder(shown)} cannot have been closed so`)
    this.showOrder(order, shown)
  }

  refusedClosing({ first, shown }: KnownOrder, asked: Asked<Cell>, code: string): void {
    if (!this.#cellOf(first.petId).refused(asked, code))
      this.problem(`the request to close order ${describeOrder(shown)} was refused with ${code}, for which there was no reason`)
  }

  /** Records an order from a response. A closed order must stay unchanged. `beganAtMillis` is the start of a read. */
  showOrder(order: KnownOrder, shown: Order, beganAtMillis?: number): void {
    const { first } = order
    const is = `order ${first.id} for pet ${first.petId}`
    if (shown.id !== first.id || shown.petId !== first.petId || shown.createdAt !== first.createdAt) {
      this.problem(`${is}, created at ${first.createdAt}, was shown as order ${describeOrder(shown)}`)
    }
    const key = this.#keyOf(first.id)
    const fits = ({ orders }: Cell): boolean => orders.get(key) === shown.status
    if (beganAtMillis !== undefined && !this.#cellOf(first.petId).shows(fits, beganAtMillis)) {
      this.noteStale(`${is} was shown as ${shown.status}, which it cannot have been since the read began`)
    }
    if (shown.status === "placed") return
    if (order.shown.status !== "placed" && (order.shown.status !== shown.status || order.shown.updatedAt !== shown.updatedAt)) {
      this.problem(`${is} was shown as ${describeOrder(order.shown)} and then as ${describeOrder(shown)}`)
    }
    order.shown = shown
  }

  #keyOf(order: bigint): bigint {
    return this.#keys.get(order) ?? -order
  }

  /**
   * Judges a pet and its orders in a complete list, during which nothing was written. They are `doubled` if there are more orders, or
   * more that hold the pet, than there may be, and `altered` if they cannot be so together. Missing orders are not judged.
   */
  judge(id: bigint, pet: Pet | undefined, orders: ReadonlyArray<Order>): "doubled" | "altered" | undefined {
    const { states, isLost } = this.#cellOf(id)
    if (isLost) return undefined
    const most = (count: (statuses: ReadonlyArray<string>) => number): number =>
      Math.max(...states.map((state) => count([...state.orders.values()])))
    const holding = (statuses: ReadonlyArray<string>): number => statuses.filter((status) => status !== "cancelled").length
    const statuses = orders.map(({ status }) => status)
    if (statuses.length > most(({ length }) => length) || holding(statuses) > most(holding)) return "doubled"
    const { known = [], others = [] } = Object.groupBy(orders, (one) => (this.#keys.has(one.id) ? "known" : "others"))
    const keys = new Set(this.#keys.values())
    const fits = ({ values, orders }: Cell): boolean =>
      values?.status === pet?.status &&
      (values === undefined) === (pet === undefined) &&
      known.every((one) => orders.get(this.#keyOf(one.id)) === one.status) &&
      // A client needs an order's id to close it.
      others.every(({ status }) => status === "placed") &&
      others.length === [...orders.keys()].filter((key) => !keys.has(key)).length
    return states.some(fits) ? undefined : "altered"
  }
}
