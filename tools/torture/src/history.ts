/** The states of each pet and its orders, one after another, as the feed of changes (specification, section 16) tells them. */
import { isDeepStrictEqual } from "node:util"
import { type Change, petOfChange } from "@petstore/conformance/store-changes"
import type { Order } from "@petstore/conformance/store-orders"
import type { Pet } from "@petstore/harness/expectations"
import { type Cell, isSameValues, type Rule } from "@petstore/model/rules"
import { Timeline } from "@petstore/model/timeline"

export type Row = Pet | Order

/** A pet and its orders. */
export interface State {
  readonly pet: Pet | undefined
  readonly orders: ReadonlyMap<bigint, Order>
}

/** A request that writes. */
export interface Sent {
  /** What it does: "a correction of pet 7". */
  readonly what: string
  /** The pet that it changes or orders. */
  readonly petId: bigint | undefined
  /** What it does to the pet, if a new order gets this identifier. */
  readonly rule: (order: bigint) => Rule
  readonly sentAtMillis: number
  /** The end of the first response that told of the change. Requests with one idempotency key share this, and make one change. */
  readonly known: { atMillis: number }
}

/** Notes what is wrong. */
type Report = (text: string, kind: "lost" | "doubled" | "altered" | "resurrected" | "stale") => void

export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, member) => (typeof member === "bigint" ? `${member}n` : member)) ?? "nothing"

export const rowIn = ({ pet, orders }: State, row: Row): Row | undefined => ("petId" in row ? orders.get(row.id) : pet)

const nothing: State = { pet: undefined, orders: new Map() }

const cellOf = ({ pet, orders }: State): Cell => ({
  values: pet,
  orders: new Map([...orders].map(([id, { status, note }]) => [id, { status, ...(note !== undefined && { note }) }])),
})

/** What a request makes of a state: `undefined` if it changes nothing, or the code of its refusal. */
export const outcomeIn = ({ rule }: Sent, state: State, order = 0n): Cell | string | undefined => {
  const to = rule(order)(cellOf(state))
  return typeof to !== "string" && isSame(to, cellOf(state)) ? undefined : to
}

const isSame = (one: Cell, other: Cell): boolean =>
  isSameValues(one.values, other.values) && isDeepStrictEqual(one.orders, other.orders)

export class History {
  readonly #timelines = new Map<bigint | undefined, Timeline<State>>()
  readonly #made = new Map<object, { readonly by: Sent; readonly state: State }>()
  /** How the feed ends. */
  readonly pets = new Map<bigint, Pet>()
  readonly orders = new Map<bigint, Order>()

  constructor(changes: ReadonlyArray<Change>, sent: ReadonlyMap<unknown, Sent>, problem: Report) {
    for (const [id, ofPet] of Map.groupBy(changes, petOfChange)) {
      let state = nothing
      const steps = ofPet.map((change) => {
        const former = state
        state = after(former, change)
        const by = sent.get(change.requestId)
        const fault = by === undefined ? "was not requested" : faultOf(change, by, former, state)
        if (fault !== undefined) problem(`a change ${fault}: ${textOf(change)} of ${textOf(former.pet)}`, "altered")
        if (by === undefined) return { state, sentAtMillis: Number.NEGATIVE_INFINITY, knownAtMillis: Number.POSITIVE_INFINITY }
        if (this.#made.has(by.known)) problem(`${by.what} left several changes, one of them ${textOf(change)}`, "doubled")
        this.#made.set(by.known, { by, state })
        return { state, sentAtMillis: by.sentAtMillis, knownAtMillis: by.known.atMillis }
      })
      const timeline = new Timeline(nothing, steps)
      if (!timeline.isInOrder) problem(`the changes of pet ${id} are out of order: ${textOf(ofPet)}`, "altered")
      this.#timelines.set(id, timeline)
      if (state.pet !== undefined) this.pets.set(state.pet.id, state.pet)
      for (const order of state.orders.values()) this.orders.set(order.id, order)
    }
    for (const { by } of this.#made.values()) by.known.atMillis = Math.min(by.known.atMillis, performance.now())
  }

  /** What the requests with a key have changed: the state afterwards, and the request that did it. */
  madeBy({ known }: Sent): { readonly by: Sent; readonly state: State } | undefined {
    return this.#made.get(known)
  }

  timelineOf(pet: bigint | undefined): Timeline<State> {
    return this.#timelines.get(pet) ?? new Timeline(nothing, [])
  }
}

const after = ({ pet, orders }: State, change: Change): State => {
  const order = change.after?.order
  return {
    pet: change.before?.pet === undefined && change.after?.pet === undefined ? pet : change.after?.pet,
    orders: order === undefined ? orders : new Map([...orders, [order.id, order]]),
  }
}

/** Why a change between two states is wrong. */
const faultOf = ({ before, after }: Change, by: Sent, from: State, to: State): string | undefined => {
  const { pet = from.pet, order } = before ?? {}
  const id = (order ?? after?.order)?.id ?? 0n
  if (before?.pet === undefined && from.pet !== undefined) return "forgets the pet"
  if (textOf([pet, order]) !== textOf([from.pet, from.orders.get(id)])) return "does not begin as the one before it ended"
  const expected = outcomeIn(by, from, id)
  if (expected === undefined) return "changes nothing"
  if (typeof expected === "string" || !isSame(expected, cellOf(to))) return `is not ${by.what}`
  return (by.petId ?? pet?.id) === pet?.id ? undefined : `is not of pet ${by.petId}`
}
