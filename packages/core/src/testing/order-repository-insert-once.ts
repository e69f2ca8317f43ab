import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PetNotAvailable, PetNotFound } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import type { Order } from "../orders/order.js"
import { OrderRepository } from "../orders/order-repository.js"
import type { PetId } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { expect } from "./expect.js"
import { claimAt, newClaim, otherBody, promisesOfInsertOnce } from "./insert-once-promises.js"
import { ordersListed, type PromiseOfOrders, petWith, statusOf, timestamp } from "./orders.js"
import { insertedOnce } from "./pet-repository-insert-once.js"
import { listed, newPet } from "./pets.js"
import { refuses } from "./promise.js"
import { describe } from "./runner.js"

const operation = "createOrder"

const placed = (id: bigint, petId: PetId, createdAt: Date): Order => ({
  ...{ id, petId, status: "placed", createdAt, updatedAt: createdAt },
})

/** Orders a pet once with the key `a-1`, `millis` ms after `timestamp(0)`. */
const placedOnce = (orders: OrderRepository["Type"], petId: PetId, millis: number, rest: Partial<IdempotencyClaim> = {}) =>
  Effect.map(orders.insertOnce(petId, claimAt(millis, { operation, ...rest })), ({ value }) => value)

export const promisesOfInsertOrderOnce = (promise: PromiseOfOrders): void => {
  describe("insertOnce", () => {
    promisesOfInsertOnce(promise, {
      operation,
      given: () => petWith("available"),
      insertOnce: (petId, claim) => Effect.flatMap(OrderRepository, (orders) => orders.insertOnce(petId, claim)),
      expected: placed,
      listed: ordersListed,
    })

    for (const closing of ["complete", "cancel"] as const) {
      promise(`returns the order as it was created, and does not change its pet, after close("${closing}")`, function* (orders) {
        const petId = yield* petWith("available")
        const first = yield* placedOnce(orders, petId, 0)
        expect(yield* placedOnce(orders, petId, 1)).toStrictEqual(first)
        expect(yield* statusOf(petId)).toBe("pending")
        const closed = yield* orders.close(first.id, closing, timestamp(5))
        expect(yield* placedOnce(orders, petId, 10)).toStrictEqual(first)
        expect(yield* ordersListed()).toStrictEqual([closed])
        expect(yield* statusOf(petId)).toBe(closing === "complete" ? "sold" : "available")
      })
    }

    promise("returns the order as it was created, even after its pet was corrected or removed", function* (orders) {
      const pets = yield* PetRepository
      const petId = yield* petWith("available")
      const first = yield* placedOnce(orders, petId, 0)
      yield* orders.close(first.id, "complete", timestamp(1))
      const pet = Option.getOrThrow(yield* pets.find(petId))
      yield* pets.replace(pet, { ...pet, status: "available" })
      expect(yield* placedOnce(orders, petId, 2)).toStrictEqual(first)
      yield* pets.remove({ ...pet, status: "available" })
      expect(yield* placedOnce(orders, petId, 3)).toStrictEqual(first)
    })

    promise("does not remember a refusal: accepts the key for another pet, and once the pet is available", function* (orders) {
      const petId = yield* petWith("available")
      const unknownId = petId + 1000n
      const first = yield* orders.insert(petId, timestamp(0))
      yield* refuses(placedOnce(orders, unknownId, 0, otherBody), new PetNotFound({ petId: unknownId }))
      yield* refuses(placedOnce(orders, petId, 1), new PetNotAvailable({ petId, status: "pending" }))
      yield* orders.close(first.id, "cancel", timestamp(2))
      const second = yield* placedOnce(orders, petId, 3)
      expect(second).toStrictEqual(placed(second.id, petId, timestamp(3)))
      expect(yield* placedOnce(orders, petId, 4)).toStrictEqual(second)
    })

    promise("distinguishes a request from one with the same key that creates a pet", function* (orders) {
      const pets = yield* PetRepository
      const bello = newPet("Bello", { status: "available" })
      const pet = yield* insertedOnce(pets, bello, newClaim())
      expect((yield* placedOnce(orders, pet.id, 0)).petId).toBe(pet.id)
      // The pet's claim is in a different table, so an order with the same identifier does not affect it.
      expect((yield* insertedOnce(pets, bello, newClaim())).id).toBe(pet.id)
      expect(yield* listed()).toHaveLength(1)
    })
  })
}
