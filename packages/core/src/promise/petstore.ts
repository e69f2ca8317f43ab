import type { Category, NewCategory } from "../categories/category.js"
import type { Change, ChangeFilters } from "../changes/change.js"
import type { Me } from "../credentials/account.js"
import type { Inventory } from "../inventory/inventory.js"
import type { NewOrder, Order, OrderChange, OrderFilters } from "../orders/order.js"
import type { OrderStatus } from "../orders/order-status.js"
import type { Pet } from "../pets/pet.js"
import type { Accounts, ApiKey, ApiKeys } from "./accounts.js"
import type { Catalogue, EveryQuery, OnceOptions, Page, PageQuery } from "./catalogue.js"
import type { OnceResult, Result } from "./result.js"
import type { CallSignal } from "./signal.js"

type Refusal = "invalid_body" | "pet_not_found" | "pet_not_available" | "storage_unavailable"

/** Which page of orders to list. */
export interface OrderQuery extends PageQuery<OrderStatus>, OrderFilters {}

/** The operations on orders, with the same names as `orders` in `@petstore/client`. @experimental */
export interface Orders {
  /** Orders a pet, which must be `available` and becomes `pending`. */
  readonly create: (order: NewOrder) => Promise<Result<Order, Refusal>>

  /** Orders a pet once for each idempotency key: see `createPetOnce`. The store does not remember refusals. */
  readonly createOnce: (
    order: NewOrder,
    idempotencyKey: string,
    options?: OnceOptions,
  ) => Promise<OnceResult<Order, Refusal | "invalid_parameter" | "idempotency_key_reused">>

  /** Completes an order: its pet becomes `sold`. Repeats are harmless. Fails with `order_closed` for a cancelled order. */
  readonly complete: (orderId: bigint) => Promise<Result<Order, "order_not_found" | "order_closed" | "storage_unavailable">>

  /** Cancels an order: its pet becomes `available`. Repeats are harmless. Fails with `order_closed` for a completed order. */
  readonly cancel: (orderId: bigint) => Promise<Result<Order, "order_not_found" | "order_closed" | "storage_unavailable">>

  /**
   * Takes back a completed order: its pet becomes `available` again. Repeats are harmless. Fails with `order_not_completed` for
   * an order that is placed or cancelled, and with `pet_changed` if the pet was removed, is not `sold`, or was sold again.
   */
  readonly return: (
    orderId: bigint,
  ) => Promise<Result<Order, "order_not_found" | "order_not_completed" | "pet_changed" | "storage_unavailable">>

  /** Replaces an order's note, or removes it with `null`. `isExpected` and the change are one atomic step. */
  readonly change: (
    orderId: bigint,
    change: OrderChange,
    isExpected?: (order: Order) => boolean,
  ) => Promise<Result<Order, "invalid_body" | "order_not_found" | "precondition_failed" | "storage_unavailable">>

  readonly get: (orderId: bigint) => Promise<Result<Order, "order_not_found" | "storage_unavailable">>

  /** Lists one page of orders, as `listPets` does for pets. */
  readonly list: (query?: OrderQuery) => Promise<Result<Page<Order, OrderQuery>, "invalid_parameter" | "storage_unavailable">>

  /** Iterates over orders, as `listAllPets` does over pets. */
  readonly listAll: (query?: EveryQuery<OrderQuery>) => AsyncGenerator<Order, void, undefined>
}

/** Whether to change the current category (`undefined` if it does not exist). The check and the change are one atomic step. */
export type CategoryCondition = (present: Category | undefined) => boolean

/**
 * The operations on categories, with the same names as `categories` in `@petstore/client`. An identifier of more than 64 bits
 * results in `category_not_found`.
 *
 * @experimental
 */
export interface Categories {
  /** Names a category, whether or not it already has a name. `isNew` is false if it had a name. */
  readonly replace: (
    id: bigint,
    category: NewCategory,
    condition?: CategoryCondition,
  ) => Promise<OnceResult<Category, "invalid_body" | "category_not_found" | "precondition_failed" | "storage_unavailable">>

  /** Removes a category's name, and returns the category as it was. Pets keep their `categoryId`. */
  readonly remove: (
    id: bigint,
    condition?: CategoryCondition,
  ) => Promise<Result<Category, "category_not_found" | "precondition_failed" | "storage_unavailable">>

  readonly get: (id: bigint) => Promise<Result<Category, "category_not_found" | "storage_unavailable">>

  /** Lists one page of categories, as `listPets` does for pets. */
  readonly list: (
    query?: PageQuery<never>,
  ) => Promise<Result<Page<Category, PageQuery<never>>, "invalid_parameter" | "storage_unavailable">>

  /** Iterates over categories, as `listAllPets` does over pets. */
  readonly listAll: () => AsyncGenerator<Category, void, undefined>
}

/** Which page of changes to list. @experimental */
export interface ChangeQuery extends Omit<PageQuery<never>, "status">, ChangeFilters {}

/** Where to begin to follow changes: at a cursor, or with what happens from now on; otherwise, with the oldest kept change. @experimental */
export interface FollowQuery extends Pick<ChangeQuery, "petId" | "cursor"> {
  readonly from?: "now" | undefined
}

/** The changes, without an end. @experimental */
export interface ChangeFeed extends AsyncIterable<Change> {
  /**
   * Where to go on: store it after you have handled a change. It is behind every change of the pages that you have finished, so a
   * new start gives at most the last 100 changes again. `undefined` until the first page is read, unless the query has a cursor.
   */
  readonly cursor: string | undefined
}

/** The operations on an open store that stores orders and categories as well as pets. */
export interface Petstore extends Catalogue {
  readonly within: (signal: CallSignal) => Petstore

  /** Counts the pets exactly, by status and in total. The time does not grow with the catalogue. @experimental */
  readonly getInventory: () => Promise<Result<Inventory, "storage_unavailable">>

  /** Finds out who calls with an API key that `apiKeys.authenticate` accepted. @experimental */
  readonly me: (key: ApiKey) => Promise<Result<Me, "storage_unavailable">>

  /** Brings a removed pet back under its own identifier, as it was. A pet that exists stays as it is. @experimental */
  readonly restorePet: (petId: bigint) => Promise<Result<Pet, "pet_not_found" | "storage_unavailable">>

  /** The orders for pets. @experimental */
  readonly orders: Orders

  /** The names of categories. @experimental */
  readonly categories: Categories

  /**
   * Lists one page of what happened to pets, orders and categories. From the oldest, there always is a `next`, also on an empty
   * page: its cursor stays behind the last change of the page, and later gets every later change. Fails with `cursor_expired` if
   * a change behind the cursor is no longer kept.
   *
   * @experimental
   */
  readonly listChanges: (
    query?: ChangeQuery,
  ) => Promise<Result<Page<Change, ChangeQuery>, "invalid_parameter" | "cursor_expired" | "storage_unavailable">>

  /**
   * Follows what happens, without an end, as `changes` of `@petstore/client` does: each change once, of every process, about a
   * second after it happened. While the database is unavailable, the iteration waits. If the cursor is wrong or has expired, it
   * throws a {@link ListFailed}. Ends with the signal of `within`, or after `close`.
   *
   * @experimental
   */
  readonly changes: (query?: FollowQuery) => ChangeFeed

  readonly accounts: Accounts

  readonly apiKeys: ApiKeys
}
