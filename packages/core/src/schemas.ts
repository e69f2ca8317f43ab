/**
 * The schemas of the domain, of `@effect/schema`, each under the name of the type that it decodes to.
 *
 * The types are declared beside their rules and know nothing of schemas, so that callers without Effect see none.
 */
import type * as Schema from "@effect/schema/Schema"
import { Int64FromSelf } from "./json/int64.js"
import { orderSchema } from "./orders/kept-order.js"
import { newOrderSchema } from "./orders/new-order.js"
import type { NewOrder as NewOrderType, OrderId as OrderIdType, OrderJson, Order as OrderType } from "./orders/order.js"
import { petSchema } from "./pets/kept-pet.js"
import { newPetSchema, petNameSchema, petStatusSchema } from "./pets/new-pet.js"
import type { NewPetJson, NewPet as NewPetType, PetId as PetIdType, PetJson, Pet as PetType } from "./pets/pet.js"
import type { PetStatus as PetStatusType } from "./pets/pet-status.js"

/** A pet before it has an identifier: what a caller gives to create one. */
export interface NewPet extends NewPetType {}
/** Schema of a new pet. */
export const NewPet: Schema.Schema<NewPet, NewPetJson> = newPetSchema

/** A pet as the store keeps it. */
export interface Pet extends PetType {}
/** Schema of a pet. */
export const Pet: Schema.Schema<Pet, PetJson> = petSchema

/** Identifier of a pet: a 64-bit integer, exact past 2^53. The store assigns it, callers never do. */
export type PetId = PetIdType
/** Schema of the identifier of a pet. */
export const PetId: Schema.filter<Schema.Schema<PetId>> = Int64FromSelf

/** Schema of the name of a pet. */
export const PetName: Schema.Schema<string> = petNameSchema

/** Availability of a pet: one of three strings. */
export type PetStatus = PetStatusType
/** Schema of a status. */
export const PetStatus: Schema.Schema<PetStatus> = petStatusSchema

/**
 * An order before it has an identifier: what a caller gives to order a pet.
 *
 * @experimental
 */
export interface NewOrder extends NewOrderType {}
/**
 * Schema of a new order.
 *
 * @experimental
 */
export const NewOrder: Schema.Schema<NewOrder, { readonly petId: number | bigint }> = newOrderSchema

/**
 * An order as the store keeps it.
 *
 * @experimental
 */
export interface Order extends OrderType {}
/**
 * Schema of an order.
 *
 * @experimental
 */
export const Order: Schema.Schema<Order, OrderJson> = orderSchema

/**
 * Identifier of an order: a 64-bit integer, exact past 2^53. The store assigns it, callers never do.
 *
 * @experimental
 */
export type OrderId = OrderIdType
/**
 * Schema of the identifier of an order.
 *
 * @experimental
 */
export const OrderId: Schema.filter<Schema.Schema<OrderId>> = Int64FromSelf
