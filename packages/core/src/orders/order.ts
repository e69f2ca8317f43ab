/** An order of one pet: experimental (specification, section 4.5). */
import { Schema } from "@effect/schema"
import type { Either } from "effect"
import { decodeBody } from "../json/body.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
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

/** The members of {@link NewOrder}, each with its rule and its description. */
export const newOrderFields = {
  petId: Schema.propertySignature(Int64).annotations({ description: "Identifier of the pet that is ordered." }),
}

/**
 * Schema of a new order, of `@effect/schema`.
 *
 * @experimental
 */
export const newOrderSchema: Schema.Schema<NewOrder, { readonly petId: number | bigint }> = Schema.Struct(
  newOrderFields,
).annotations({
  identifier: "NewOrder",
  description: "What a caller gives to order a pet. Experimental.",
})

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
 * Decodes the order of a pet, as `decodeJson` read it. Fails with `InvalidBody`,
 * which names the field.
 *
 * @experimental
 */
export const decodeNewOrder: (json: unknown) => Either.Either<NewOrder, InvalidBody> = decodeBody(newOrderSchema)

/**
 * An order as JSON text: 64-bit integers to the last digit, moments in ISO 8601, UTC, ms.
 *
 * @experimental
 */
export const encodeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${createdAt.toISOString()}","updatedAt":"${updatedAt.toISOString()}"}`

/**
 * Orders as one JSON array.
 *
 * @experimental
 */
export const encodeOrders = (orders: ReadonlyArray<Order>): string => `[${orders.map(encodeOrder).join(",")}]`
