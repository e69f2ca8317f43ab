/** Use cases of orders: place one, complete or cancel it, get one, list a page. Experimental (specification, section 4.5). */
import { Clock, Effect, type Either, Option } from "effect"
import { type IdempotencyKeyReused, type OrderClosed, OrderNotFound, type StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import { int64FromText } from "../json/int64.js"
import type { InvalidParameter } from "../json/invalid-input.js"
import { decodePageRequest, type Page, type PageRequest, pageOf } from "../page.js"
import type { PetId } from "../pets/pet.js"
import type { NewOrder, Order, OrderId } from "./order.js"
import { type OrderRefusal, OrderRepository } from "./order-repository.js"
import { type Closing, type OrderStatus, orderStatuses } from "./order-status.js"

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

// Safe: every 64-bit integer may name a pet.
const petIdOf = ({ petId }: NewOrder): PetId => petId as PetId

/**
 * Orders a pet, which must be `available` and becomes `pending`. Fails with
 * `PetNotFound`, or with `PetNotAvailable` if it has another status or none.
 *
 * @experimental
 */
export const createOrder = (order: NewOrder): Effect.Effect<Order, OrderRefusal | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(OrderRepository, (orders) => Effect.flatMap(now, (at) => orders.insert(petIdOf(order), at)))

/**
 * Orders a pet for a request that may arrive twice: a repeated one gets the order
 * of the first, as it was created. Fails with `IdempotencyKeyReused` if the first one had another body.
 *
 * @experimental
 */
export const createOrderOnce = (
  order: NewOrder,
  claim: IdempotencyClaim,
): Effect.Effect<Order, OrderRefusal | IdempotencyKeyReused | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(OrderRepository, (orders) => orders.insertOnce(petIdOf(order), claim))

/** What is not a 64-bit integer in plain decimal names no order. */
const decodeOrderId = (orderId: string): Effect.Effect<OrderId, OrderNotFound> =>
  Option.match(int64FromText(orderId), {
    onNone: () => Effect.fail(new OrderNotFound({ orderId })),
    // Safe: `int64FromText` answers nothing but 64-bit integers, which is all that `OrderId` asks.
    onSome: (id) => Effect.succeed(id as OrderId),
  })

/**
 * Gets one order. Fails with `OrderNotFound`. `orderId` is as the caller spelled it.
 *
 * @experimental
 */
export const getOrder = (orderId: string): Effect.Effect<Order, OrderNotFound | StorageUnavailable, OrderRepository> =>
  Effect.gen(function* () {
    const orders = yield* OrderRepository
    const order = yield* orders.find(yield* decodeOrderId(orderId))
    return yield* Option.match(order, { onNone: () => new OrderNotFound({ orderId }), onSome: Effect.succeed })
  })

/**
 * Completes or cancels an order: its pet is then `sold`, or `available` again.
 * Repeating it is harmless. Fails with `OrderNotFound`, or with `OrderClosed` if the order ended the other way.
 *
 * @experimental
 */
export const closeOrder = (
  orderId: string,
  closing: Closing,
): Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable, OrderRepository> =>
  Effect.gen(function* () {
    const orders = yield* OrderRepository
    return yield* orders.close(yield* decodeOrderId(orderId), closing, yield* now)
  })

/**
 * Which page of orders to list.
 *
 * @experimental
 */
export interface OrderPageRequest extends PageRequest<OrderStatus> {
  readonly after: Option.Option<OrderId>
}

/** The name of this list in its cursors. */
const list = "orders"

/**
 * Decodes the query parameters `limit`, `status` and `cursor`, as `decodePetPageRequest` does.
 *
 * @experimental
 */
export const decodeOrderPageRequest: (
  valuesOf: (parameter: string) => ReadonlyArray<string>,
) => Either.Either<OrderPageRequest, InvalidParameter> = decodePageRequest<OrderStatus, OrderId>(list, orderStatuses)

/**
 * Lists one page of orders by ascending identifier. An order whose status changes during a filtered
 * walk may or may not be seen.
 *
 * @experimental
 */
export const listOrders = (request: OrderPageRequest): Effect.Effect<Page<Order>, StorageUnavailable, OrderRepository> =>
  Effect.flatMap(OrderRepository, (orders) =>
    Effect.map(orders.list({ ...request, limit: request.limit + 1 }), (found) => pageOf(list, request, found)),
  )
