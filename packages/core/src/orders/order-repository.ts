/** Port: keeps orders, and with them the status of their pets. */
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

/**
 * Which orders to list: those of one status or all, of one pet or any, after an identifier or from the
 * first, at most `limit`.
 *
 * @experimental
 */
export interface OrderSelection {
  readonly status: Option.Option<OrderStatus>
  readonly petId?: PetId
  readonly after: Option.Option<OrderId>
  readonly limit: number
}

/**
 * Why a pet cannot be ordered.
 *
 * @experimental
 */
export type OrderRefusal = PetNotFound | PetNotAvailable

/**
 * Keeps orders. An order and its pet change together or not at all, by compare-and-set in the store, so that of concurrent
 * callers, in any number of processes, one gets the pet. Its promises are a contract suite in `@petstore/core/testing`.
 *
 * @experimental
 */
export class OrderRepository extends Context.Tag("@petstore/core/OrderRepository")<
  OrderRepository,
  {
    /** Keeps a new order of a pet that is `available`, which becomes `pending` in the same transaction. */
    readonly insert: (petId: PetId, createdAt: Date) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>

    /**
     * The same for a request that may arrive twice: a repeated request gets the order of the first, as it was created. Refusals
     * are not remembered.
     */
    readonly insertOnce: (
      petId: PetId,
      claim: IdempotencyClaim,
    ) => Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused | StorageUnavailable>

    /** Ends a placed order, and changes its pet in the same transaction. Repeating it returns the order unchanged. */
    readonly close: (
      id: OrderId,
      closing: OrderClosing,
      closedAt: Date,
    ) => Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable>

    /** The order with this identifier, if there is one. */
    readonly find: (id: OrderId) => Effect.Effect<Option.Option<Order>, StorageUnavailable>

    /** Selected orders by ascending identifier. The cost depends on `limit`, not on the number of orders. */
    readonly list: (selection: OrderSelection) => Effect.Effect<ReadonlyArray<Order>, StorageUnavailable>
  }
>() {}
