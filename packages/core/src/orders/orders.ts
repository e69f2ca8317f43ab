import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { type IdempotencyKeyReused, type OrderClosed, OrderNotFound, type StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import { int64FromText, isInt64 } from "../json/int64.js"
import type { InvalidBody, InvalidParameter } from "../json/invalid-input.js"
import {
  checkPageRequest,
  decodeOptional,
  decodePageRequest,
  type EveryRequest,
  everyPage,
  type Filters,
  type Page,
  type PageRequest,
  type PartialRequest,
  readPage,
  streamOf,
  type ValuesOf,
} from "../page.js"
import type { PetId } from "../pets/pet.js"
import type { NewOrder, Order, OrderId } from "./order.js"
import { type OrderRefusal, OrderRepository } from "./order-repository.js"
import { checkNewOrder } from "./order-schema.js"
import { type OrderClosing, type OrderStatus, orderStatuses } from "./order-status.js"

/** Does not query the store for an identifier of more than 64 bits. */
const ordersWith = (orderId: OrderId): Effect.Effect<OrderRepository["Type"], OrderNotFound, OrderRepository> =>
  isInt64(orderId) ? OrderRepository : new OrderNotFound({ orderId })

/**
 * Orders a pet, which must be `available` and becomes `pending`. Fails with `PetNotFound`, with `PetNotAvailable` if the pet
 * has another status or none, or with `InvalidBody` if the order breaks a rule.
 *
 * @experimental
 */
export const createOrder = (
  order: NewOrder,
): Effect.Effect<Order, OrderRefusal | InvalidBody | StorageUnavailable, OrderRepository> =>
  Effect.gen(function* () {
    const { petId } = yield* checkNewOrder(order)
    const orders = yield* OrderRepository
    return yield* orders.insert(petId, yield* DateTime.nowAsDate)
  })

/**
 * Orders a pet for a request that may arrive twice. A repeated request gets the first order, as it was created. Fails with
 * `IdempotencyKeyReused` if the first request had a different body.
 *
 * @experimental
 */
export const createOrderOnce = (
  order: NewOrder,
  claim: IdempotencyClaim,
): Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused | InvalidBody | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(checkNewOrder(order), ({ petId }) =>
    Effect.flatMap(OrderRepository, (orders) => orders.insertOnce(petId, claim)),
  )

/** Parses an order's identifier, a 64-bit integer in plain decimal. Fails with `OrderNotFound` for other text. @experimental */
export const decodeOrderId = (text: string): Either.Either<OrderId, OrderNotFound> =>
  Either.fromOption(int64FromText(text), () => new OrderNotFound({ orderId: text }))

/** Gets one order. Fails with `OrderNotFound` if no order has this identifier. @experimental */
export const getOrder = (orderId: OrderId): Effect.Effect<Order, OrderNotFound | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(ordersWith(orderId), (orders) => orders.find(orderId)).pipe(
    Effect.flatMap(Option.match({ onNone: () => new OrderNotFound({ orderId }), onSome: Effect.succeed })),
  )

const close =
  (closing: OrderClosing) =>
  (orderId: OrderId): Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable, OrderRepository> =>
    Effect.flatMap(ordersWith(orderId), (orders) =>
      Effect.flatMap(DateTime.nowAsDate, (at) => orders.close(orderId, closing, at)),
    )

/**
 * Completes an order: its pet becomes `sold`. Repeating the call is harmless. Fails with `OrderNotFound`, or with `OrderClosed`
 * if the order was cancelled.
 *
 * @experimental
 */
export const completeOrder = /* @__PURE__ */ close("complete")

/**
 * Cancels an order: its pet becomes `available` again. Repeating the call is harmless. Fails with `OrderNotFound`, or with
 * `OrderClosed` if the order was completed.
 *
 * @experimental
 */
export const cancelOrder = /* @__PURE__ */ close("cancel")

/** Which page of orders to list. In a request to {@link listOrders}, every member is optional. @experimental */
export interface OrderPageRequest extends PageRequest<OrderStatus>, OrderFilters {}

/** The filters for orders, other than their status. @experimental */
export interface OrderFilters {
  /** Only orders for this pet. */
  readonly petId?: PetId | undefined
}

export const filtersOfOrders = ({ petId }: OrderFilters): Filters => (petId === undefined ? [] : [["petId", String(petId)]])

const rules = {
  list: "orders",
  statuses: orderStatuses,
  decode: (valuesOf: ValuesOf) =>
    Either.map(
      decodeOptional(valuesOf, "petId", "expected one 64-bit integer in plain decimal", int64FromText),
      (petId): OrderFilters => (Option.isNone(petId) ? {} : { petId: petId.value }),
    ),
  filters: filtersOfOrders,
}

/** Decodes the query parameters `limit`, `status`, `petId` and `cursor`, as `decodePetPageRequest` does. @experimental */
export const decodeOrderPageRequest: (valuesOf: ValuesOf) => Either.Either<OrderPageRequest, InvalidParameter> =
  decodePageRequest(rules)

/**
 * Lists one page of orders by ascending identifier. An order whose status changes during filtered paging may or may not
 * appear. Fails with `InvalidParameter` for an invalid request.
 *
 * @experimental
 */
export const listOrders = (
  given?: PartialRequest<OrderPageRequest>,
): Effect.Effect<Page<Order, OrderPageRequest>, InvalidParameter | StorageUnavailable, OrderRepository> =>
  Effect.flatMap(Effect.zip(checkPageRequest(rules, given), OrderRepository), ([request, orders]) =>
    readPage(rules, request, filtersOfOrders(request), orders),
  )

/** Streams matching orders by ascending identifier, page by page. Fails with `InvalidParameter` for bad filters. @experimental */
export const streamOrders = (
  filters?: EveryRequest<OrderPageRequest>,
): Stream.Stream<Order, InvalidParameter | StorageUnavailable, OrderRepository> =>
  streamOf(listOrders, { ...filters, ...everyPage })
