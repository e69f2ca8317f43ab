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

const statusAfter = {
  complete: "completed",
  cancel: "cancelled",
  return: "returned",
} as const satisfies Record<Closing, OrderStatus>

/** A pet and its orders. The pet has no values once it has been removed. */
export interface Cell {
  readonly values: Values | undefined
  /** The values that a removed pet had. */
  readonly removed?: Values | undefined
  /** Each order that was placed, by its key. */
  readonly orders: ReadonlyMap<bigint, Placed>
}

/** An order, without its pet. */
interface Placed {
  readonly status: OrderStatus
  readonly note?: string
}

/** What a request does to a pet and its orders: their state afterwards, or the code of the refusal. */
export type Rule = (cell: Cell) => Cell | string

export const isSameValues = (one: Values | undefined, other: Values | undefined): boolean =>
  one?.name === other?.name && one?.categoryId === other?.categoryId && one?.status === other?.status

const withStatus = ({ name, categoryId }: Values, status: string | undefined): Values =>
  status === undefined ? { name, categoryId } : { name, categoryId, status }

const corrected = (values: Values, { name, categoryId, ...rest }: Correction): Values =>
  withStatus(
    { name: name ?? values.name, categoryId: categoryId ?? values.categoryId },
    "status" in rest ? (rest.status ?? undefined) : values.status,
  )

const isHeld = ({ orders }: Cell): boolean => [...orders.values()].some(({ status }) => status === "placed")

/** Corrects or removes a pet. With a condition, only while the condition holds. */
export const changing =
  (change: Change, holds: (values: Values) => boolean = () => true): Rule =>
  (cell) => {
    const { values } = cell
    if (values === undefined) return "pet_not_found"
    if (!holds(values)) return "precondition_failed"
    const to = change === "remove" ? undefined : corrected(values, change)
    if (isHeld(cell) && to?.status !== values.status) return "pet_reserved"
    return { ...cell, values: to, removed: to === undefined ? values : undefined }
  }

/** Brings a removed pet back. */
export const restoring: Rule = (cell) => {
  const { values, removed } = cell
  if (values !== undefined) return cell
  return removed === undefined ? "pet_not_found" : { ...cell, values: removed, removed: undefined }
}

export const ordering =
  (order: bigint, note?: string): Rule =>
  (cell) => {
    const { values } = cell
    if (values === undefined) return "pet_not_found"
    if (values.status !== "available") return "pet_not_available"
    return withOrder({ ...cell, values: withStatus(values, "pending") }, order, "placed", note)
  }

const withOrder = (cell: Cell, id: bigint, status: OrderStatus, note: string | undefined): Cell => ({
  ...cell,
  orders: new Map([...cell.orders, [id, { status, ...(note !== undefined && { note }) }]]),
})

/** Replaces an order's note; `null` removes it, and `undefined` leaves it. With a condition, only while the condition holds. */
export const noting =
  (order: bigint, note: string | null | undefined, holds: () => boolean = () => true): Rule =>
  (cell) => {
    const found = cell.orders.get(order)
    if (found === undefined) return "order_not_found"
    if (!holds()) return "precondition_failed"
    return note === undefined ? cell : withOrder(cell, order, found.status, note ?? undefined)
  }

/** Completes a placed order, cancels it, or takes a completed one back. A pet's orders are in the order in which they were placed. */
export const closing =
  (order: bigint, how: Closing): Rule =>
  (cell) => {
    const { values, orders } = cell
    const found = orders.get(order)
    if (found === undefined) return "order_not_found"
    const { status, note } = found
    if (status === statusAfter[how]) return cell
    if (how === "return") {
      if (status !== "completed") return "order_not_completed"
      const later = [...orders].slice([...orders.keys()].indexOf(order) + 1)
      if (values?.status !== "sold" || later.some(([, other]) => other.status === "completed")) return "pet_changed"
    } else if (status !== "placed") return "order_closed"
    const to = how === "complete" ? "sold" : "available"
    return withOrder({ ...cell, values: values && withStatus(values, to) }, order, statusAfter[how], note)
  }
