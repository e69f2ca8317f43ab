/** The use cases of a whole store in plain values: pets, orders, categories, the inventory, and accounts. */
import type { Category, NewCategory } from "../categories/category.js"
import type { Inventory } from "../inventory/inventory.js"
import type { NewOrder, Order } from "../orders/order.js"
import type { OrderStatus } from "../orders/order-status.js"
import type { Accounts, ApiKeys } from "./accounts.js"
import type { Catalogue, EveryQuery, Page, PageQuery } from "./catalogue.js"
import type { Result } from "./result.js"

/** The refusals of an order. */
type Refusal = "invalid_body" | "pet_not_found" | "pet_not_available" | "storage_unavailable"

/** Which page of orders to list. */
export interface OrderQuery extends PageQuery<OrderStatus> {
  /** Only orders of this pet. */
  readonly petId?: bigint | undefined
}

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
  readonly list: (query?: OrderQuery) => Promise<Result<Page<Order, OrderQuery>, "invalid_parameter" | "storage_unavailable">>

  /** Every order, or those that pass filters, as `listAllPets` gives pets. */
  readonly listAll: (query?: EveryQuery<OrderQuery>) => AsyncGenerator<Order, void, undefined>
}

/** Whether to change the current category; `undefined`: it does not exist. The check and the change are one step. */
export type CategoryCondition = (present: Category | undefined) => boolean

/**
 * The operations on the names of categories, with the names of `categories` of `@petstore/client`. An identifier of more than
 * 64 bits is `category_not_found`.
 *
 * @experimental They may change in a minor release.
 */
export interface Categories {
  /** Names a category, whether it has a name or not. */
  readonly replace: (
    id: bigint,
    category: NewCategory,
    condition?: CategoryCondition,
  ) => Promise<Result<Category, "invalid_body" | "category_not_found" | "precondition_failed" | "storage_unavailable">>

  /** Removes the name of a category, and returns it. Pets keep their `categoryId`. */
  readonly remove: (
    id: bigint,
    condition?: CategoryCondition,
  ) => Promise<Result<Category, "category_not_found" | "precondition_failed" | "storage_unavailable">>

  /** Gets one category. */
  readonly get: (id: bigint) => Promise<Result<Category, "category_not_found" | "storage_unavailable">>

  /** Lists one page, as `listPets` does. */
  readonly list: (
    query?: PageQuery<never>,
  ) => Promise<Result<Page<Category, PageQuery<never>>, "invalid_parameter" | "storage_unavailable">>

  /** Every category, as `listAllPets` gives pets. */
  readonly listAll: () => AsyncGenerator<Category, void, undefined>
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

  /**
   * Names of categories.
   *
   * @experimental They may change in a minor release.
   */
  readonly categories: Categories

  /** Accounts. */
  readonly accounts: Accounts

  /** API keys. */
  readonly apiKeys: ApiKeys
}
