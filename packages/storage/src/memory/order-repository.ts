/** A synchronous step of the event loop serves as the transaction: a generator yields only a failure. */
import {
  type Actor,
  type ChangeOperation,
  checkClosing,
  encodeOrder,
  type Order,
  OrderClosed,
  type OrderClosing,
  type OrderId,
  OrderNotFound,
  OrderRepository,
  orderClosings,
  orderPlacement,
  orderReturn,
  PetNotAvailable,
  PetNotFound,
  type PetStatus,
  type ValidNewOrder,
} from "@petstore/core"
import { withNote } from "@petstore/core/internal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { resultOfReturn } from "../rows.js"
import { type Catalogue, placeOf, selectFrom } from "./engine/catalogue.js"
import { memoryIdempotency } from "./idempotency.js"

export const memoryOrderRepository = (catalogue: Catalogue) => {
  const { pets, orders, reserved, history } = catalogue
  const once = memoryIdempotency<Order>()

  const insertOrder = (made: Omit<Order, "id">, by: Actor | undefined): Order => {
    const order: Order = { ...made, id: BigInt(orders.length + 1) }
    orders.push(order)
    reserved.add(order.petId)
    change("createOrder", by, undefined, order, orderPlacement.to)
    return order
  }

  /** Changes an order's pet with it. */
  const change = (operation: ChangeOperation, by: Actor | undefined, from: Order | undefined, to: Order, status: PetStatus) => {
    const place = placeOf(to.petId, pets.length)
    const before = pets[place]
    const after = before && { ...before, status }
    if (after !== undefined) {
      pets[place] = after
      catalogue.changes += 1
    }
    orders[placeOf(to.id, orders.length)] = to
    history.add(
      operation,
      by,
      { ...(before && { pet: before }), ...(from && { order: from }) },
      { ...(after && { pet: after }), order: to },
    )
  }

  const place = ({ petId, note }: ValidNewOrder, createdAt: Date, by?: Actor) =>
    Effect.gen(function* () {
      const pet = pets[placeOf(petId, pets.length)]
      if (pet === undefined) return yield* new PetNotFound({ petId })
      if (pet.status !== orderPlacement.from) return yield* new PetNotAvailable({ petId, status: pet.status })
      const noted = note === undefined ? {} : { note }
      return insertOrder({ petId, status: "placed", createdAt, updatedAt: createdAt, ...noted }, by)
    })

  const close = (id: OrderId, closing: OrderClosing, updatedAt: Date, by?: Actor) =>
    Effect.gen(function* () {
      const order = orders[placeOf(id, orders.length)]
      if (order === undefined) return yield* new OrderNotFound({ orderId: id })
      const effect = checkClosing(closing, order.status)
      if (effect === "repeats") return order
      if (effect === "refused") return yield* new OrderClosed({ orderId: id, status: order.status })
      const closed: Order = { ...order, status: orderClosings[closing].status, updatedAt }
      reserved.delete(order.petId)
      change(`${closing}Order`, by, order, closed, orderClosings[closing].pet)
      return closed
    })

  const giveBack = (id: OrderId, updatedAt: Date, by?: Actor) =>
    Effect.gen(function* () {
      const order = orders[placeOf(id, orders.length)]
      if (order === undefined) return yield* new OrderNotFound({ orderId: id })
      const { petId, status } = order
      const isSoldAgain = orders.some((other) => other.petId === petId && other.status === "completed" && other.id > id)
      if (status !== "completed" || isSoldAgain || pets[placeOf(petId, pets.length)]?.status !== "sold")
        return yield* resultOfReturn(order)
      const returned: Order = { ...order, status: orderReturn.status, updatedAt }
      change("returnOrder", by, order, returned, orderReturn.pet)
      return returned
    })

  return OrderRepository.of({
    insert: place,
    insertOnce: (order, claim, by) => once(claim, place(order, claim.claimedAt, by)),
    close,
    giveBack,
    setNote: (seen, note, by) =>
      Effect.sync(() => {
        const index = placeOf(seen.id, orders.length)
        const order = orders[index]
        if (order === undefined || encodeOrder(order) !== encodeOrder(seen)) return false
        const to = withNote(order, note)
        orders[index] = to
        history.add("changeOrder", by, { order }, { order: to })
        return true
      }),
    find: (id) => Effect.sync(() => Option.fromNullable(orders[placeOf(id, orders.length)])),
    list: ({ petId, order, after, status, limit }) =>
      Effect.sync(() => {
        const isWanted = ({ petId: ordered }: Order) => (petId ?? ordered) === ordered
        if (order !== "desc") return selectFrom(orders, { after, status, limit }, isWanted)
        const before = { after: Option.none(), status, limit: orders.length }
        return selectFrom(orders, before, (one) => isWanted(one) && (Option.isNone(after) || one.id < after.value))
          .toReversed()
          .slice(0, limit)
      }),
  })
}
