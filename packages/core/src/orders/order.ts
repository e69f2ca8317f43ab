import { timestampText } from "../json/timestamp.js"
import type { PetId } from "../pets/pet.js"
import type { PetOrder } from "../pets/pet-search.js"
import type { OrderStatus } from "./order-status.js"

/** An order's identifier: a 64-bit integer, exact past 2^53. The store assigns it; callers never do. @experimental */
export type OrderId = bigint

/** The maximum number of code points in an order's note. */
export const noteMaximum = 256

export const noteExpectation = `expected a string of at most ${noteMaximum} code points, without U+0000 and lone surrogates`

/** An order without an identifier: the values that a caller passes to order a pet. @experimental */
export interface NewOrder {
  readonly petId: PetId
  /** Free text, at most 256 code points, no U+0000 and no lone surrogate. May be empty. Not for what has to stay private. */
  readonly note?: string | undefined
}

/** A new order that satisfies every rule. It has a `note` only if one was given. @experimental */
export interface ValidNewOrder extends NewOrder {
  readonly note?: string
}

/** A stored order (specification, section 4.5). @experimental */
export interface Order {
  readonly id: OrderId
  readonly petId: PetId
  readonly status: OrderStatus
  /** Precise to the millisecond, like `updatedAt`. */
  readonly createdAt: Date
  /** When the status last changed: the same as `createdAt` while the status is `placed`. */
  readonly updatedAt: Date
  /** Absent unless one was given. */
  readonly note?: string
}

/** An order as `decodeJson` reads it from JSON text. @experimental */
export interface OrderJson {
  readonly id: number | bigint
  readonly petId: number | bigint
  readonly status: OrderStatus
  readonly createdAt: string
  readonly updatedAt: string
  readonly note?: string
}

/** A change to an order's note. `null` removes it; an absent note stays. @experimental */
export interface OrderChange {
  readonly note?: string | null | undefined
}

/** A change that satisfies every rule. @experimental */
export interface ValidOrderChange extends OrderChange {
  readonly note?: string | null
}

/** The filters for orders, other than their status. @experimental */
export interface OrderFilters {
  /** Only orders for this pet. */
  readonly petId?: PetId | undefined
  /** Ascending by identifier if absent. */
  readonly order?: PetOrder | undefined
}

/** The order with another note, or with none. */
export const withNote = ({ note: _, ...rest }: Order, note: string | undefined): Order =>
  note === undefined ? rest : { ...rest, note }

/** Encodes an order as JSON text, with exact 64-bit integers and ISO 8601 timestamps in UTC, to the millisecond. @experimental */
export const encodeOrder = ({ id, petId, status, createdAt, updatedAt, note }: Order): string => {
  const noted = note === undefined ? "" : `,"note":${JSON.stringify(note)}`
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${timestampText(createdAt)}","updatedAt":"${timestampText(updatedAt)}"${noted}}`
}

/** Encodes orders as one JSON array. @experimental */
export const encodeOrders = (orders: ReadonlyArray<Order>): string => `[${orders.map(encodeOrder).join(",")}]`
