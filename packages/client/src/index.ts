/** The public names of `@petstore/client`. */
export type { ErrorCode } from "./advice.js"
export { type CallOptions, type Client, type ClientOptions, type CreateOptions, createClient } from "./client.js"
export { isPetstoreError, type PetstoreError } from "./errors.js"
export type { Inventory } from "./inventory.js"
export type { NewOrder, Order, OrderStatus } from "./order.js"
export type { OrderPage, OrderQuery, Orders } from "./orders.js"
export type { ListQuery, Page, PetQuery } from "./page.js"
export type { NewPet, Pet, PetStatus } from "./pet.js"
