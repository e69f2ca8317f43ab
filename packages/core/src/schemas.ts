/** Each schema has the name of the type that it decodes to. Other files declare the types, for callers without Effect. */
import type * as Schema from "@effect/schema/Schema"
import { Int64FromSelf } from "./json/int64.js"
import type {
  NewOrder as NewOrderType,
  OrderId as OrderIdType,
  OrderJson,
  Order as OrderType,
  ValidNewOrder,
} from "./orders/order.js"
import { newOrderSchema, orderSchema } from "./orders/order-schema.js"
import type {
  NewPetJson,
  NewPet as NewPetType,
  PetId as PetIdType,
  PetJson,
  PetStatus as PetStatusType,
  Pet as PetType,
  ValidNewPet,
} from "./pets/pet.js"
import { newPetSchema, petNameSchema, petSchema, petStatusSchema } from "./pets/pet-schema.js"

/** A pet without an identifier: the values that a caller passes to create one. */
export interface NewPet extends NewPetType {}
/** Schema of a new pet. It decodes to a pet that satisfies every rule. */
export const NewPet: Schema.Schema<ValidNewPet, NewPetJson> = newPetSchema

/** A stored pet. */
export interface Pet extends PetType {}
/** Schema of a pet. */
export const Pet: Schema.Schema<Pet, PetJson> = petSchema

/** A pet's identifier: a 64-bit integer, exact past 2^53. The store assigns it; callers never do. */
export type PetId = PetIdType
/** Schema of a pet's identifier. */
export const PetId: Schema.filter<Schema.Schema<PetId>> = Int64FromSelf

/** Schema of a pet's name. */
export const PetName: Schema.Schema<string> = petNameSchema

/** A pet's availability: one of three strings. */
export type PetStatus = PetStatusType
/** Schema of a status. */
export const PetStatus: Schema.Schema<PetStatus> = petStatusSchema

/** An order without an identifier: the values that a caller passes to order a pet. @experimental */
export interface NewOrder extends NewOrderType {}
/** Schema of a new order. @experimental */
export const NewOrder: Schema.Schema<ValidNewOrder, { readonly petId: number | bigint }> = newOrderSchema

/** A stored order. @experimental */
export interface Order extends OrderType {}
/** Schema of an order. @experimental */
export const Order: Schema.Schema<Order, OrderJson> = orderSchema

/** An order's identifier: a 64-bit integer, exact past 2^53. The store assigns it; callers never do. @experimental */
export type OrderId = OrderIdType
/** Schema of an order's identifier. @experimental */
export const OrderId: Schema.filter<Schema.Schema<OrderId>> = Int64FromSelf
