/** An order of one pet: experimental (specification, section 4.5). */
import { timestampText } from "../json/timestamp.js"
import type { PetId } from "../pets/pet.js"
import type { OrderStatus } from "./order-status.js"

/**
 * Identifier of an order: a 64-bit integer, exact past 2^53. The store assigns it, callers never do.
 *
 * @experimental
 */
export type OrderId = bigint

/**
 * An order before it has an identifier: what a caller gives to order a pet.
 *
 * @experimental
 */
export interface NewOrder {
  readonly petId: PetId
}

/**
 * An order as the store keeps it.
 *
 * @experimental
 */
export interface Order {
  readonly id: OrderId
  readonly petId: PetId
  readonly status: OrderStatus
  /** To the millisecond, like `updatedAt`. */
  readonly createdAt: Date
  /** When the status changed last; the same as `createdAt` while it is `placed`. */
  readonly updatedAt: Date
}

/**
 * An order as `decodeJson` reads it from a JSON text.
 *
 * @experimental
 */
export interface OrderJson {
  readonly id: number | bigint
  readonly petId: number | bigint
  readonly status: OrderStatus
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * An order as JSON text: exact 64-bit integers, timestamps in ISO 8601, UTC, ms.
 *
 * @experimental
 */
export const encodeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${timestampText(createdAt)}","updatedAt":"${timestampText(updatedAt)}"}`

/**
 * Orders as one JSON array.
 *
 * @experimental
 */
export const encodeOrders = (orders: ReadonlyArray<Order>): string => `[${orders.map(encodeOrder).join(",")}]`
