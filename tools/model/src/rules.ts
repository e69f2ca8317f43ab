/** The rules for one pet and its orders (specification 4.5, 4.9 and 4.10), as the changes that a request makes or the code of its refusal. */

export interface Values {
  readonly name: string
  readonly categoryId: bigint
  readonly status?: string
}

/** New values for some members of a pet. `status: undefined` and `status: null` remove the status. */
export interface Correction {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: string | null | undefined
}

export type Change = Correction | "remove"

export type Closing = "complete" | "cancel" | "return"

export type OrderStatus = "placed" | "completed" | "cancelled" | "returned"

export const statusAfter = {
  complete: "completed",
  cancel: "cancelled",
  return: "returned",
} as const satisfies Record<Closing, OrderStatus>

/** A pet and its orders. The pet has no values once it has been removed. */
export interface Cell {
  readonly values: Values | undefined
  /** The values that a removed pet had. */
  readonly removed?: Values | undefined
  /** The status of each order that was placed, by its key. */
  readonly orders: ReadonlyMap<bigint, OrderStatus>
  /** The notes of the orders that have one. */
  readonly notes?: ReadonlyMap<bigint, string>
}

/** What a request does to a state: the state afterwards, or the code of the refusal. */
export type Rule<State> = (state: State) => State | string

export const isSameValues = (one: Values | undefined, other: Values | undefined): boolean =>
  one?.name === other?.name && one?.categoryId === other?.categoryId && one?.status === other?.status

const withStatus = ({ name, categoryId }: Values, status: string | undefined): Values =>
  status === undefined ? { name, categoryId } : { name, categoryId, status }

const corrected = (values: Values, { name, categoryId, ...rest }: Correction): Values =>
  withStatus(
    { name: name ?? values.name, categoryId: categoryId ?? values.categoryId },
    "status" in rest ? (rest.status ?? undefined) : values.status,
  )

const isHeld = ({ orders }: Cell): boolean => [...orders.values()].includes("placed")

/** Corrects or removes a pet. With a condition, only while the condition holds. */
export const changing =
  (change: Change, holds: (values: Values) => boolean = () => true): Rule<Cell> =>
  (cell) => {
    const { values } = cell
    if (values === undefined) return "pet_not_found"
    if (!holds(values)) return "precondition_failed"
    const to = change === "remove" ? undefined : corrected(values, change)
    if (isHeld(cell) && to?.status !== values.status) return "pet_reserved"
    return { ...cell, values: to, removed: to === undefined ? values : undefined }
  }

/** Brings a removed pet back. */
export const restoring: Rule<Cell> = (cell) => {
  const { values, removed } = cell
  if (values !== undefined) return cell
  return removed === undefined ? "pet_not_found" : { ...cell, values: removed, removed: undefined }
}

export const ordering =
  (order: bigint, note?: string): Rule<Cell> =>
  (cell) => {
    const { values, orders } = cell
    if (values === undefined) return "pet_not_found"
    if (values.status !== "available") return "pet_not_available"
    const placed = { ...cell, values: withStatus(values, "pending"), orders: new Map([...orders, [order, "placed"] as const]) }
    return withNote(placed, order, note)
  }

const withNote = (cell: Cell, order: bigint, note: string | undefined): Cell => {
  const others = [...(cell.notes ?? [])].filter(([id]) => id !== order)
  return { ...cell, notes: new Map(note === undefined ? others : [...others, [order, note]]) }
}

/** Replaces an order's note; `null` removes it, and `undefined` leaves it. With a condition, only while the condition holds. */
export const noting =
  (order: bigint, note: string | null | undefined, holds: () => boolean = () => true): Rule<Cell> =>
  (cell) => {
    if (!cell.orders.has(order)) return "order_not_found"
    if (!holds()) return "precondition_failed"
    return note === undefined ? cell : withNote(cell, order, note ?? undefined)
  }

/** Completes a placed order, cancels it, or takes a completed one back. A pet's orders are in the order in which they were placed. */
export const closing =
  (order: bigint, how: Closing): Rule<Cell> =>
  (cell) => {
    const { values, orders } = cell
    const status = orders.get(order)
    if (status === undefined) return "order_not_found"
    if (status === statusAfter[how]) return cell
    if (how === "return") {
      if (status !== "completed") return "order_not_completed"
      const later = [...orders].slice([...orders.keys()].indexOf(order) + 1)
      if (values?.status !== "sold" || later.some(([, other]) => other === "completed")) return "pet_changed"
    } else if (status !== "placed") return "order_closed"
    const to = how === "complete" ? "sold" : "available"
    return { ...cell, values: values && withStatus(values, to), orders: new Map([...orders, [order, statusAfter[how]]]) }
  }
