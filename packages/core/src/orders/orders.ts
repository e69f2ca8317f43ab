/** Use cases of orders: place one, complete or cancel it, get one, list a page. Experimental (specification, section 4.5). */
import { type Context, DateTime, Effect, Either, Option, type Stream } from "effect"
import { type IdempotencyKeyReused, type OrderClosed, OrderNotFound, PetNotFound, type StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import { int64FromText, isInt64 } from "../json/int64.js"
import type { InvalidParameter } from "../json/invalid-input.js"
import { decodePageRequest, type Page, type PageRequest, pageOf, streamOf } from "../page.js"
import type { NewOrder, Order, OrderId } from "./order.js"
import { type OrderRefusal, OrderRepository } from "./order-repository.js"
import { type OrderClosing, type OrderStatus, orderStatuses } from "./order-status.js"

/** An integer that 64 bits do not hold names nothing, and no store is asked for it. */
const ordersFor = (order: NewOrder): Effect.Effect<Context.Tag.Service<typeof OrderRepository>, PetNotFound, OrderRepository> =>
  isInt64(order.petId) ? OrderRepository : new PetNotFound(order)

const ordersWith = (
  orderId: OrderId,
): Effect.Effect<Context.Tag.Service<typeof OrderRepository>, OrderNotFound, OrderRepository> =>
  isInt64(orderId) ? OrderRepository : new OrderNotFound({ orderId })

/**
 * Orders a pet, which must be `available` and becomes `pending`. Fails with
 * `PetNotFound`, or with `PetNotAvailable` if it has another status or none.
 *
 * @experimental
 */
export const createOrder = (order: NewOrder): Effect.Effect<Order, OrderRefusal | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(ordersFor(order), (orders) => Effect.flatMap(DateTime.nowAsDate, (at) => orders.insert(order.petId, at)))

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
  Effect.flatMap(ordersFor(order), (orders) => orders.insertOnce(order.petId, claim))

/**
 * Reads the identifier of an order. A text that is no 64-bit integer in plain decimal names no order: `OrderNotFound`.
 *
 * @experimental
 */
export const decodeOrderId = (text: string): Either.Either<OrderId, OrderNotFound> =>
  Either.fromOption(int64FromText(text), () => new OrderNotFound({ orderId: text }))

/**
 * Gets one order. Fails with `OrderNotFound`.
 *
 * @experimental
 */
export const getOrder = (orderId: OrderId): Effect.Effect<Order, OrderNotFound | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(ordersWith(orderId), (orders) => orders.find(orderId)).pipe(
    Effect.flatMap(Option.match({ onNone: () => new OrderNotFound({ orderId }), onSome: Effect.succeed })),
  )

/**
 * Completes or cancels an order: its pet is then `sold`, or `available` again.
 * Repeating it is harmless. Fails with `OrderNotFound`, or with `OrderClosed` if the order ended the other way.
 *
 * @experimental
 */
export const closeOrder = (
  orderId: OrderId,
  closing: OrderClosing,
): Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(ordersWith(orderId), (orders) => Effect.flatMap(DateTime.nowAsDate, (at) => orders.close(orderId, closing, at)))

/**
 * Which page of orders to list.
 *
 * @experimental
 */
export interface OrderPageRequest extends PageRequest<OrderStatus> {}

/** The name of this list in its cursors. */
const list = "orders"

/**
 * Decodes the query parameters `limit`, `status` and `cursor`, as `decodePetPageRequest` does.
 *
 * @experimental
 */
export const decodeOrderPageRequest: (
  valuesOf: (parameter: string) => ReadonlyArray<string>,
) => Either.Either<OrderPageRequest, InvalidParameter> = decodePageRequest(list, orderStatuses)

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

/**
 * Every order, or those of one status, by ascending identifier, read as they are taken.
 *
 * @experimental
 */
export const streamOrders = (
  status: Option.Option<OrderStatus> = Option.none(),
): Stream.Stream<Order, StorageUnavailable, OrderRepository> =>
  streamOf((after, limit) => Effect.flatMap(OrderRepository, (orders) => orders.list({ status, after, limit })))
