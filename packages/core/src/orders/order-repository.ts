import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Actor } from "../changes/actor.js"
import type {
  IdempotencyKeyReused,
  OrderClosed,
  OrderNotCompleted,
  OrderNotFound,
  PetNotAvailable,
  PetNotFound,
  SoldPetChanged,
  StorageUnavailable,
} from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { Order, OrderFilters, OrderId, ValidNewOrder } from "./order.js"
import type { OrderClosing, OrderStatus } from "./order-status.js"

/** Which orders to list: at most `limit`, optionally with one status, for one pet, and after an identifier. @experimental */
export interface OrderSelection extends OrderFilters {
  readonly status: Option.Option<OrderStatus>
  readonly after: Option.Option<OrderId>
  readonly limit: number
}

/** Why a pet cannot be ordered. @experimental */
export type OrderRefusal = PetNotFound | PetNotAvailable

/**
 * Stores orders. An order and its pet change together or not at all, by compare-and-set in the store. If callers in any number of
 * processes order a pet concurrently, exactly one gets the pet. `@petstore/core/testing` has its contract suite.
 *
 * @experimental
 */
export class OrderRepository extends Context.Tag("@petstore/core/OrderRepository")<
  OrderRepository,
  {
    /** Stores a new order, with its note, for an `available` pet, which becomes `pending` in the same transaction. */
    readonly insert: (
      order: ValidNewOrder,
      createdAt: Date,
      by?: Actor,
    ) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>

    /** Like `insert`, but a repeated request gets the first order, as it was created. The store does not remember refusals. */
    readonly insertOnce: (
      order: ValidNewOrder,
      claim: IdempotencyClaim,
      by?: Actor,
    ) => Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused | StorageUnavailable>

    /** Closes a placed order, and changes its pet in the same transaction. A repeated call returns the order unchanged. */
    readonly close: (
      id: OrderId,
      closing: OrderClosing,
      closedAt: Date,
      by?: Actor,
    ) => Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable>

    /**
     * Returns a completed order: it becomes `returned`, and its pet `available` in the same transaction. A repeated call returns
     * the order unchanged. Fails with `SoldPetChanged` if the pet was removed, is not `sold`, or was sold again by a later order,
     * which is a completed order of the pet with a higher identifier.
     */
    readonly giveBack: (
      id: OrderId,
      returnedAt: Date,
      by?: Actor,
    ) => Effect.Effect<Order, OrderNotFound | OrderNotCompleted | SoldPetChanged | StorageUnavailable>

    /**
     * Replaces the note of `seen`, the order as it was read, or removes it. `updatedAt` stays. Returns false, and changes nothing,
     * if the order has changed since it was read.
     */
    readonly setNote: (seen: Order, note: string | undefined, by?: Actor) => Effect.Effect<boolean, StorageUnavailable>

    /** Finds the order with this identifier, if there is one. */
    readonly find: (id: OrderId) => Effect.Effect<Option.Option<Order>, StorageUnavailable>

    /** Lists the selected orders by identifier. The time depends on `limit`, not on the number of orders. */
    readonly list: (selection: OrderSelection) => Effect.Effect<ReadonlyArray<Order>, StorageUnavailable>
  }
>() {}
