/** The use cases of a whole store in plain values: pets, orders of them, how many there are, and who may call. */
import type { Inventory } from "../inventory/inventory.js"
import type { NewOrder, Order } from "../orders/order.js"
import type { OrderStatus } from "../orders/order-status.js"
import type { Accounts, ApiKeys } from "./accounts.js"
import type { Catalogue, Page, PageQuery, StatusQuery } from "./catalogue.js"
import type { Result } from "./result.js"

/** What every order of a pet can be refused with. */
type Refusal = "invalid_body" | "pet_not_found" | "pet_not_available" | "storage_unavailable"

/**
 * The operations on orders, with the names of `orders` of `@petstore/client`.
 *
 * @experimental They may change in a minor release.
 */
export interface Orders {
  /** Orders a pet, which must be `available` and becomes `pending`. */
  readonly create: (order: NewOrder) => Promise<Result<Order, Refusal>>

  /** The same, once for an idempotency key: see `createPetOnce`. Refusals are not remembered. */
  readonly createOnce: (
    order: NewOrder,
    idempotencyKey: string,
  ) => Promise<Result<Order, Refusal | "invalid_parameter" | "idempotency_key_reused">>

  /** Completes an order: its pet is then `sold`. Repeating is harmless; a cancelled order is `order_closed`. */
  readonly complete: (orderId: bigint) => Promise<Result<Order, "order_not_found" | "order_closed" | "storage_unavailable">>

  /** Cancels an order: its pet is then `available` again. Repeating is harmless; a completed order is `order_closed`. */
  readonly cancel: (orderId: bigint) => Promise<Result<Order, "order_not_found" | "order_closed" | "storage_unavailable">>

  /** Gets one order. */
  readonly get: (orderId: bigint) => Promise<Result<Order, "order_not_found" | "storage_unavailable">>

  /** Lists one page, as `listPets` does. */
  readonly list: (
    query?: PageQuery<OrderStatus>,
  ) => Promise<Result<Page<Order, OrderStatus>, "invalid_parameter" | "storage_unavailable">>

  /** Every order, or those of one status, as `listAllPets` gives pets. */
  readonly listAll: (query?: StatusQuery<OrderStatus>) => AsyncGenerator<Order, void, undefined>
}

/** The operations of an open store that keeps more than pets. */
export interface Petstore extends Catalogue {
  /**
   * How many pets there are, by status and in all: exact, at a cost that does not grow with the catalogue.
   *
   * @experimental It may change in a minor release.
   */
  readonly getInventory: () => Promise<Result<Inventory, "storage_unavailable">>

  /**
   * Orders of pets.
   *
   * @experimental They may change in a minor release.
   */
  readonly orders: Orders
  /** Who may call. */
  readonly accounts: Accounts

  /** What they call with. */
  readonly apiKeys: ApiKeys
}
