import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type {
  IdempotencyKeyReused,
  OrderClosed,
  OrderNotFound,
  PetNotAvailable,
  PetNotFound,
  StorageUnavailable,
} from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { PetId } from "../pets/pet.js"
import type { Order, OrderId } from "./order.js"
import type { OrderClosing, OrderStatus } from "./order-status.js"

/** Which orders to list: at most `limit`, optionally with one status, for one pet, and after an identifier. @experimental */
export interface OrderSelection {
  readonly status: Option.Option<OrderStatus>
  readonly petId?: PetId | undefined
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
    /** Stores a new order for an `available` pet, which becomes `pending` in the same transaction. */
    readonly insert: (petId: PetId, createdAt: Date) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>

    /** Like `insert`, but a repeated request gets the first order, as it was created. The store does not remember refusals. */
    readonly insertOnce: (
      petId: PetId,
      claim: IdempotencyClaim,
    ) => Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused | StorageUnavailable>

    /** Closes a placed order, and changes its pet in the same transaction. A repeated call returns the order unchanged. */
    readonly close: (
      id: OrderId,
      closing: OrderClosing,
      closedAt: Date,
    ) => Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable>

    /** Finds the order with this identifier, if there is one. */
    readonly find: (id: OrderId) => Effect.Effect<Option.Option<Order>, StorageUnavailable>

    /** Lists the selected orders by ascending identifier. The time depends on `limit`, not on the number of orders. */
    readonly list: (selection: OrderSelection) => Effect.Effect<ReadonlyArray<Order>, StorageUnavailable>
  }
>() {}
