import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { IdempotencyKeyReused, PetNotAvailable, PetNotFound } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import type { OrderRepository } from "../orders/order-repository.js"
import type { OrderClosing } from "../orders/order-status.js"
import type { PetId } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { expect } from "./expect.js"
import { ordersListed, type PromiseOfOrders, petWith, statusOf, timestamp } from "./orders.js"
import { day, insertedOnce, newClaim, otherBody } from "./pet-repository-insert-once.js"
import { listed, newPet } from "./pets.js"
import { atOnce, refuses } from "./promise.js"
import { describe } from "./runner.js"

const claimAt = (millis: number, rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim =>
  newClaim({ operation: "createOrder", claimedAt: timestamp(millis), expiresAt: timestamp(millis + day), ...rest })

const placedOnce = (orders: OrderRepository["Type"], petId: PetId, claim: IdempotencyClaim) =>
  Effect.map(orders.insertOnce(petId, claim), ({ value }) => value)

export const promisesOfInsertOrderOnce = (promise: PromiseOfOrders): void => {
  describe("insertOnce", () => {
    promise("places one order, and returns it again if the request is repeated", function* (orders) {
      const petId = yield* petWith("available")
      const { value: order, isNew } = yield* orders.insertOnce(petId, claimAt(0))
      const placed = { id: order.id, petId, status: "placed", createdAt: timestamp(0), updatedAt: timestamp(0) }
      expect([order, isNew]).toStrictEqual([placed, true])
      expect(yield* orders.insertOnce(petId, claimAt(1))).toStrictEqual({ value: order, isNew: false })
      expect(yield* ordersListed()).toStrictEqual([order])
      expect(yield* statusOf(petId)).toBe("pending")
    })

    for (const closing of ["complete", "cancel"] as const satisfies ReadonlyArray<OrderClosing>) {
      promise(
        `returns the order as it was created, and does not change the pet, even after close("${closing}")`,
        function* (orders) {
          const petId = yield* petWith("available")
          const first = yield* placedOnce(orders, petId, claimAt(0))
          const closed = yield* orders.close(first.id, closing, timestamp(5))
          expect(yield* placedOnce(orders, petId, claimAt(10))).toStrictEqual(first)
          expect(yield* ordersListed()).toStrictEqual([closed])
          expect(yield* statusOf(petId)).toBe(closing === "complete" ? "sold" : "available")
        },
      )
    }

    promise("returns the order as it was created, even after its pet was corrected or removed", function* (orders) {
      const pets = yield* PetRepository
      const petId = yield* petWith("available")
      const first = yield* placedOnce(orders, petId, claimAt(0))
      yield* orders.close(first.id, "complete", timestamp(1))
      const pet = Option.getOrThrow(yield* pets.find(petId))
      yield* pets.replace(pet, { ...pet, status: "available" })
      expect(yield* placedOnce(orders, petId, claimAt(2))).toStrictEqual(first)
      yield* pets.remove({ ...pet, status: "available" })
      expect(yield* placedOnce(orders, petId, claimAt(3))).toStrictEqual(first)
    })

    promise("refuses the same key with a different body, and places no second order", function* (orders) {
      const petId = yield* petWith("available")
      const other = yield* petWith("available")
      const first = yield* placedOnce(orders, petId, claimAt(0))
      yield* refuses(placedOnce(orders, other, claimAt(1, otherBody)), new IdempotencyKeyReused({ key: "a-1" }))
      expect(yield* statusOf(other)).toBe("available")
      expect(yield* ordersListed()).toStrictEqual([first])
    })

    promise(
      "does not remember a refusal: accepts the key with another body, or with the same body after the pet becomes available",
      function* (orders) {
        const petId = yield* petWith("available")
        const unknownId = petId + 1000n
        const first = yield* orders.insert(petId, timestamp(0))
        yield* refuses(placedOnce(orders, unknownId, claimAt(0, otherBody)), new PetNotFound({ petId: unknownId }))
        yield* refuses(placedOnce(orders, petId, claimAt(1)), new PetNotAvailable({ petId, status: "pending" }))
        yield* orders.close(first.id, "cancel", timestamp(2))
        const second = yield* placedOnce(orders, petId, claimAt(3))
        expect(second).toStrictEqual({ id: second.id, petId, status: "placed", createdAt: timestamp(3), updatedAt: timestamp(3) })
        expect(yield* placedOnce(orders, petId, claimAt(4))).toStrictEqual(second)
      },
    )

    promise("distinguishes requests by account, operation and key, even if one of them creates a pet", function* (orders) {
      const pets = yield* PetRepository
      const pet = yield* insertedOnce(pets, newPet("Bello", { status: "available" }), newClaim())
      const others = yield* Effect.forEach([1, 2], () => petWith("available"))
      const made = [
        yield* placedOnce(orders, pet.id, claimAt(0)),
        yield* placedOnce(orders, others[0] ?? pet.id, claimAt(0, { accountId: "acc_other" })),
        yield* placedOnce(orders, others[1] ?? pet.id, claimAt(0, { key: "A-1" })),
      ]
      expect(made.map(({ petId }) => petId)).toStrictEqual([pet.id, ...others])
      expect(new Set(made.map(({ id }) => id)).size).toBe(3)
      // The pet's claim is in a different table, so an order with the same identifier does not affect it.
      expect((yield* insertedOnce(pets, newPet("Bello", { status: "available" }), newClaim())).id).toBe(pet.id)
      expect(yield* listed()).toHaveLength(3)
    })

    promise("accepts a key for a new request only after the old request has expired", function* (orders) {
      const [petId, other] = [yield* petWith("available"), yield* petWith("available")]
      const first = yield* placedOnce(orders, petId, claimAt(0))
      expect(yield* placedOnce(orders, petId, claimAt(day - 1))).toStrictEqual(first)
      const second = yield* placedOnce(orders, other, claimAt(day, otherBody))
      expect([second.petId, second.createdAt]).toStrictEqual([other, timestamp(day)])
      expect(second.id).not.toBe(first.id)
    })

    promise(
      "places one order for fifty concurrent requests, returns it to each, and marks exactly one result as new",
      function* (orders) {
        const petId = yield* petWith("available")
        const results = yield* atOnce(Array(50).keys(), () => orders.insertOnce(petId, claimAt(0)))
        const [made, ...others] = yield* ordersListed()
        expect(others).toStrictEqual([])
        for (const { value } of results) expect(value).toStrictEqual(made)
        expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
      },
    )
  })
}
