import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Actor } from "../changes/actor.js"
import { always, type Condition, compareAndSet, meet } from "../condition.js"
import {
  type IdempotencyKeyReused,
  type OrderClosed,
  type OrderNotCompleted,
  OrderNotFound,
  type PreconditionFailed,
  type SoldPetChanged,
  type StorageUnavailable,
} from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import { int64FromText, isInt64 } from "../json/int64.js"
import type { InvalidBody, InvalidParameter } from "../json/invalid-input.js"
import {
  checkPageRequest,
  decodeDirection,
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
import { useCase } from "../use-case.js"
import { type NewOrder, type Order, type OrderChange, type OrderFilters, type OrderId, withNote } from "./order.js"
import { checkNewOrder, checkOrderChange } from "./order-decoders.js"
import { type OrderRefusal, OrderRepository } from "./order-repository.js"
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
  by?: Actor,
): Effect.Effect<Order, OrderRefusal | InvalidBody | StorageUnavailable, OrderRepository> =>
  useCase(
    "createOrder",
    Effect.gen(function* () {
      const checked = yield* checkNewOrder(order)
      const orders = yield* OrderRepository
      return yield* orders.insert(checked, yield* DateTime.nowAsDate, by)
    }),
  )

/**
 * Orders a pet for a request that may arrive twice. A repeated request gets the first order, as it was created. Fails with
 * `IdempotencyKeyReused` if the first request had a different body.
 *
 * @experimental
 */
export const createOrderOnce = (
  order: NewOrder,
  claim: IdempotencyClaim,
  by?: Actor,
): Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused | InvalidBody | StorageUnavailable, OrderRepository> =>
  useCase(
    "createOrderOnce",
    Effect.flatMap(checkNewOrder(order), (checked) =>
      Effect.flatMap(OrderRepository, (orders) => orders.insertOnce(checked, claim, by)),
    ),
  )

/** Parses an order's identifier, a 64-bit integer in plain decimal. Fails with `OrderNotFound` for other text. @experimental */
export const decodeOrderId = (text: string): Either.Either<OrderId, OrderNotFound> =>
  Either.fromOption(int64FromText(text), () => new OrderNotFound({ orderId: text }))

/** Gets one order. Fails with `OrderNotFound` if no order has this identifier. @experimental */
export const getOrder = (orderId: OrderId): Effect.Effect<Order, OrderNotFound | StorageUnavailable, OrderRepository> =>
  useCase(
    "getOrder",
    Effect.flatMap(ordersWith(orderId), (orders) => orders.find(orderId)).pipe(
      Effect.flatMap(Option.match({ onNone: () => new OrderNotFound({ orderId }), onSome: Effect.succeed })),
    ),
  )

const close =
  (name: string, closing: OrderClosing) =>
  (orderId: OrderId, by?: Actor): Effect.Effect<Order, OrderNotFound | OrderClosed | StorageUnavailable, OrderRepository> =>
    useCase(
      name,
      Effect.flatMap(ordersWith(orderId), (orders) =>
        Effect.flatMap(DateTime.nowAsDate, (at) => orders.close(orderId, closing, at, by)),
      ),
    )

/**
 * Completes an order: its pet becomes `sold`. Repeating the call is harmless. Fails with `OrderNotFound`, or with `OrderClosed`
 * if the order was cancelled.
 *
 * @experimental
 */
export const completeOrder = /* @__PURE__ */ close("completeOrder", "complete")

/**
 * Cancels an order: its pet becomes `available` again. Repeating the call is harmless. Fails with `OrderNotFound`, or with
 * `OrderClosed` if the order was completed.
 *
 * @experimental
 */
export const cancelOrder = /* @__PURE__ */ close("cancelOrder", "cancel")

/**
 * Takes back a completed order: the order is `returned`, and its pet `available`. Repeating the call is harmless. Fails with
 * `OrderNotFound`, with `OrderNotCompleted`, or with `SoldPetChanged` if the pet was removed, is not `sold`, or was sold again.
 *
 * @experimental
 */
export const returnOrder = (
  orderId: OrderId,
  by?: Actor,
): Effect.Effect<Order, OrderNotFound | OrderNotCompleted | SoldPetChanged | StorageUnavailable, OrderRepository> =>
  useCase(
    "returnOrder",
    Effect.flatMap(ordersWith(orderId), (orders) => Effect.flatMap(DateTime.nowAsDate, (at) => orders.giveBack(orderId, at, by))),
  )

/**
 * Changes an order's note, and returns the order. A `note` of `null` removes it. Fails with `InvalidBody`, with `OrderNotFound`,
 * and with `PreconditionFailed` if the condition does not hold for the current order. Both are one atomic step.
 *
 * @experimental
 */
export const changeOrder = (
  orderId: OrderId,
  change: OrderChange,
  condition: Condition<Order> = always,
  by?: Actor,
): Effect.Effect<Order, InvalidBody | OrderNotFound | PreconditionFailed | StorageUnavailable, OrderRepository> =>
  useCase(
    "changeOrder",
    Effect.flatMap(Effect.zip(checkOrderChange(change), OrderRepository), ([{ note }, orders]) =>
      compareAndSet(getOrder(orderId), (seen) => {
        const noted = note === undefined ? seen.note : (note ?? undefined)
        const set = noted === seen.note ? Effect.succeed(true) : orders.setNote(seen, noted, by)
        return Effect.map(Effect.zipRight(meet(condition, Option.some(seen)), set), (isSet) =>
          isSet ? Option.some(withNote(seen, noted)) : Option.none(),
        )
      }),
    ),
  )

/** Which page of orders to list. In a request to {@link listOrders}, every member is optional. @experimental */
export interface OrderPageRequest extends PageRequest<OrderStatus>, OrderFilters {}

export const filtersOfOrders = ({ petId, order }: OrderFilters): Filters => [
  ...(petId === undefined ? [] : [["petId", String(petId)] as const]),
  ...(order === undefined ? [] : [["order", order] as const]),
]

export const decodeOrderFilters = (valuesOf: ValuesOf): Either.Either<OrderFilters, InvalidParameter> => {
  const petId = decodeOptional(valuesOf, "petId", "expected one 64-bit integer in plain decimal", int64FromText)
  if (Either.isLeft(petId)) return Either.left(petId.left)
  return Either.map(decodeDirection(valuesOf), (order) => ({
    ...(Option.isSome(petId.right) && { petId: petId.right.value }),
    ...order,
  }))
}

const rules = {
  list: "orders",
  statuses: orderStatuses,
  decode: decodeOrderFilters,
  filters: filtersOfOrders,
}

/** Decodes the query parameters `limit`, `status`, `petId`, `order` and `cursor`, as `decodePetPageRequest` does. @experimental */
export const decodeOrderPageRequest: (valuesOf: ValuesOf) => Either.Either<OrderPageRequest, InvalidParameter> =
  decodePageRequest(rules)

/**
 * Lists one page of orders by ascending identifier, unless `order` says otherwise. An order whose status changes during filtered paging may or may not
 * appear. Fails with `InvalidParameter` for an invalid request.
 *
 * @experimental
 */
export const listOrders = (
  given?: PartialRequest<OrderPageRequest>,
): Effect.Effect<Page<Order, OrderPageRequest>, InvalidParameter | StorageUnavailable, OrderRepository> =>
  useCase(
    "listOrders",
    Effect.flatMap(Effect.zip(checkPageRequest(rules, given), OrderRepository), ([request, orders]) =>
      readPage(rules, request, filtersOfOrders(request), orders),
    ),
  )

/** Streams matching orders, page by page, in the order of {@link listOrders}. Fails with `InvalidParameter` for bad filters. @experimental */
export const streamOrders = (
  filters?: EveryRequest<OrderPageRequest>,
): Stream.Stream<Order, InvalidParameter | StorageUnavailable, OrderRepository> =>
  streamOf(listOrders, { ...filters, ...everyPage })
