import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Order } from "../orders/order.js"
import { OrderRepository, type OrderSelection } from "../orders/order-repository.js"
import type { OrderClosing } from "../orders/order-status.js"
import type { PetId, PetStatus } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { newPet } from "./pets.js"
import type { DeclarePromise } from "./promise.js"

export type Store = OrderRepository | PetRepository

export type PromiseOfOrders = DeclarePromise<Store, OrderRepository["Type"]>

/** A timestamp with milliseconds, to detect a store that truncates to seconds. */
export const timestamp = (millis: number): Date => new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678) + millis)

export const petWith = (status: PetStatus | undefined): Effect.Effect<PetId, unknown, PetRepository> =>
  Effect.flatMap(PetRepository, (pets) => Effect.map(pets.insert(newPet("Bello", { status })), ({ id }) => id))

export const statusOf = (petId: PetId): Effect.Effect<PetStatus | undefined, unknown, PetRepository> =>
  Effect.flatMap(PetRepository, (pets) => Effect.map(pets.find(petId), (pet) => Option.getOrThrow(pet).status))

export const placeAt = (createdAt: Date): Effect.Effect<Order, unknown, Store> =>
  Effect.gen(function* () {
    const orders = yield* OrderRepository
    const petId = yield* petWith("available")
    const { id } = yield* orders.insert({ petId }, createdAt)
    return { id, petId, status: "placed", createdAt, updatedAt: createdAt }
  })

export const placeEach = (count: number): Effect.Effect<ReadonlyArray<Order>, unknown, Store> =>
  Effect.forEach(Array.from({ length: count }), (_, index) => placeAt(timestamp(index)))

/** Places an order for a new pet. If a closing is given, the order is closed an hour after it was placed. */
export const orderEnded = (closing: OrderClosing | undefined): Effect.Effect<Order, unknown, Store> =>
  Effect.gen(function* () {
    const order = yield* placeAt(timestamp(0))
    if (closing === undefined) return order
    const orders = yield* OrderRepository
    const updatedAt = timestamp(60 * 60 * 1000)
    yield* orders.close(order.id, closing, updatedAt)
    return { ...order, status: closing === "complete" ? "completed" : "cancelled", updatedAt }
  })

export const ordersListed = (selection: Partial<OrderSelection> = {}) =>
  Effect.flatMap(OrderRepository, (orders) =>
    orders.list({ status: Option.none(), after: Option.none(), limit: 10_000, ...selection }),
  )
