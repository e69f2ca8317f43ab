/** A synchronous step of the event loop serves as the transaction. */
import {
  checkClosing,
  type Order,
  OrderClosed,
  type OrderClosing,
  type OrderId,
  OrderNotFound,
  OrderRepository,
  orderClosings,
  orderPlacement,
  type PetId,
  PetNotAvailable,
  PetNotFound,
  type PetStatus,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Catalogue, placeOf, selectFrom } from "./engine/catalogue.js"
import { memoryIdempotency } from "./idempotency.js"

export const memoryOrderRepository = (catalogue: Catalogue) => {
  const { pets, orders, reserved } = catalogue
  const once = memoryIdempotency<Order>()

  const movePet = (petId: PetId, to: PetStatus): void => {
    const place = placeOf(petId, pets.length)
    const pet = pets[place]
    if (pet === undefined) return
    pets[place] = { ...pet, status: to }
    catalogue.changes += 1
  }

  const place = (petId: PetId, createdAt: Date): Effect.Effect<Order, PetNotFound | PetNotAvailable> =>
    Effect.suspend((): Effect.Effect<Order, PetNotFound | PetNotAvailable> => {
      const pet = pets[placeOf(petId, pets.length)]
      if (pet === undefined) return new PetNotFound({ petId })
      if (pet.status !== orderPlacement.from) return new PetNotAvailable({ petId, status: pet.status })
      movePet(petId, orderPlacement.to)
      reserved.add(petId)
      const id = BigInt(orders.length + 1)
      const order: Order = { id, petId, status: "placed", createdAt, updatedAt: createdAt }
      orders.push(order)
      return Effect.succeed(order)
    })

  const close = (id: OrderId, closing: OrderClosing, updatedAt: Date): Effect.Effect<Order, OrderNotFound | OrderClosed> =>
    Effect.suspend((): Effect.Effect<Order, OrderNotFound | OrderClosed> => {
      const order = orders[placeOf(id, orders.length)]
      if (order === undefined) return new OrderNotFound({ orderId: id })
      const effect = checkClosing(closing, order.status)
      if (effect === "repeats") return Effect.succeed(order)
      if (effect === "refused") return new OrderClosed({ orderId: id, status: order.status })
      const closed: Order = { ...order, status: orderClosings[closing].status, updatedAt }
      orders[placeOf(id, orders.length)] = closed
      movePet(order.petId, orderClosings[closing].pet)
      reserved.delete(order.petId)
      return Effect.succeed(closed)
    })

  return OrderRepository.of({
    insert: place,
    insertOnce: (petId, claim) => once(claim, place(petId, claim.claimedAt)),
    close,
    find: (id) => Effect.sync(() => Option.fromNullable(orders[placeOf(id, orders.length)])),
    list: ({ petId, ...selection }) =>
      Effect.sync(() => selectFrom(orders, selection, ({ petId: ordered }) => (petId ?? ordered) === ordered)),
  })
}
