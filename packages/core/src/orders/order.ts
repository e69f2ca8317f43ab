import { timestampText } from "../json/timestamp.js"
import type { PetId } from "../pets/pet.js"
import type { OrderStatus } from "./order-status.js"

/** An order's identifier: a 64-bit integer, exact past 2^53. The store assigns it; callers never do. @experimental */
export type OrderId = bigint

/** An order without an identifier: the values that a caller passes to order a pet. @experimental */
export interface NewOrder {
  readonly petId: PetId
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
}

/** An order as `decodeJson` reads it from JSON text. @experimental */
export interface OrderJson {
  readonly id: number | bigint
  readonly petId: number | bigint
  readonly status: OrderStatus
  readonly createdAt: string
  readonly updatedAt: string
}

/** Encodes an order as JSON text, with exact 64-bit integers and ISO 8601 timestamps in UTC, to the millisecond. @experimental */
export const encodeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${timestampText(createdAt)}","updatedAt":"${timestampText(updatedAt)}"}`

/** Encodes orders as one JSON array. @experimental */
export const encodeOrders = (orders: ReadonlyArray<Order>): string => `[${orders.map(encodeOrder).join(",")}]`
