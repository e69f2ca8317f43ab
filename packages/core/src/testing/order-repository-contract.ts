import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { OrderClosed, OrderNotFound, PetNotAvailable, PetNotFound } from "../errors.js"
import { isInt64 } from "../json/int64.js"
import type { Order } from "../orders/order.js"
import { OrderRepository } from "../orders/order-repository.js"
import { type OrderClosing, orderStatuses } from "../orders/order-status.js"
import { petStatuses } from "../pets/pet.js"
import { PetFreshness } from "../pets/pet-freshness.js"
import { PetRepository } from "../pets/pet-repository.js"
import { promisesOfInsertOrderOnce } from "./insert-once-promises.js"
import { promisesOfList } from "./list-promises.js"
import { promisesOfReservedPets } from "./order-repository-reserved.js"
import { orderEnded, ordersListed, petWith, placeAt, placeEach, statusOf, timestamp } from "./orders.js"
import { byId, found, listed, unassigned } from "./pets.js"
import { atOnce, type ContractSuite, contractSuite, refuses } from "./promise.js"
import { describe, expect } from "./runner.js"

/** The effects of closing an order, written out here to test the domain's table too. */
const endings = [
  { ended: undefined, closing: "complete", order: "completed", pet: "sold" },
  { ended: undefined, closing: "cancel", order: "cancelled", pet: "available" },
  { ended: "complete", closing: "complete", order: "completed", pet: "sold" },
  { ended: "complete", closing: "cancel", order: "refused", pet: "sold" },
  { ended: "cancel", closing: "cancel", order: "cancelled", pet: "available" },
  { ended: "cancel", closing: "complete", order: "refused", pet: "available" },
] as const

const ofEveryStatus = (each: number) =>
  Effect.forEach(Array.from({ length: each }, () => [undefined, "complete", "cancel"] as const).flat(), orderEnded)

/** The suite of `ChangeRepository` tests returned orders. */
const closedOrPlaced = orderStatuses.filter((status) => status !== "returned")

const later = timestamp(24 * 60 * 60 * 1000)

type Services = OrderRepository | PetRepository

/**
 * Declares the contract suite for `OrderRepository`.
 *
 * @experimental
 * @example orderRepositoryContract("memory", storage({ adapter: "memory" }, { migrate: true }))
 */
export const orderRepositoryContract: ContractSuite<Services> = contractSuite(OrderRepository, (promise) => {
  describe("insert and find", () => {
    promise("store an order with timestamps to the millisecond, and make its available pet pending", function* (orders) {
      const petId = yield* petWith("available")
      const inserted = yield* orders.insert({ petId }, timestamp(0))
      const { id } = inserted
      const expected = { id, petId, status: "placed", createdAt: timestamp(0), updatedAt: timestamp(0) }
      expect(id).toSatisfy(isInt64)
      expect(inserted).toStrictEqual(expected)
      expect(yield* orders.find(id)).toStrictEqual(Option.some(expected))
      expect(yield* statusOf(petId)).toBe("pending")
    })

    promise("change only the status of the ordered pet, and leave other pets unchanged", function* (orders) {
      const pets = yield* PetRepository
      const given = { name: " É 🐕 ", categoryId: 2n ** 53n + 1n, status: "available" } as const
      const { id } = yield* pets.insert(given)
      const others = yield* Effect.forEach([...petStatuses, undefined], (status) =>
        Effect.map(petWith(status), (other) => [other, status] as const),
      )
      yield* orders.insert({ petId: id }, timestamp(0))
      expect(yield* found(id)).toStrictEqual({ id, ...given, status: "pending" })
      expect(yield* Effect.forEach(others, ([other]) => statusOf(other))).toStrictEqual(others.map(([, status]) => status))
    })

    promise("refuse an order for a pet that does not exist, and store nothing", function* (orders) {
      for (const petId of unassigned) {
        yield* refuses(orders.insert({ petId }, timestamp(0)), new PetNotFound({ petId }))
      }
      expect(yield* ordersListed()).toStrictEqual([])
    })

    for (const status of ["pending", "sold", undefined] as const) {
      promise(`refuse to order a pet with the status ${status ?? "none"}, and leave it unchanged`, function* (orders) {
        const petId = yield* petWith(status)
        yield* refuses(orders.insert({ petId }, timestamp(0)), new PetNotAvailable({ petId, status }))
        expect(yield* statusOf(petId)).toBe(status)
        expect(yield* ordersListed()).toStrictEqual([])
      })
    }

    promise("give a pet to exactly one of two hundred concurrent orders", function* (orders) {
      const petId = yield* petWith("available")
      const results = yield* atOnce(Array(200).keys(), (index) => Effect.either(orders.insert({ petId }, timestamp(index))))
      const placed = Array.from(results).filter(Either.isRight)
      expect(placed).toHaveLength(1)
      expect(yield* ordersListed()).toStrictEqual(placed.map(({ right }) => right))
      const refusal = new PetNotAvailable({ petId, status: "pending" })
      for (const refused of results.filter(Either.isLeft)) expect(refused.left).toStrictEqual(refusal)
      expect(yield* statusOf(petId)).toBe("pending")
    })

    promise("never reuse an identifier, even after its order is closed", function* (orders) {
      const petId = yield* petWith("available")
      const closed = yield* Effect.forEach(Array(20).keys(), () =>
        Effect.flatMap(orders.insert({ petId }, timestamp(0)), ({ id }) => orders.close(id, "cancel", later)),
      )
      expect(new Set(closed.map(({ id }) => id)).size).toBe(20)
      expect(yield* ordersListed({ status: Option.some("cancelled") })).toStrictEqual(closed.toSorted(byId))
    })

    promise("find no order for identifiers that were not assigned", function* (orders) {
      const assigned = (yield* placeEach(1)).map(({ id }) => id)
      const unknown = unassigned.filter((id) => !assigned.includes(id))
      expect(yield* Effect.forEach(unknown, orders.find)).toStrictEqual(unknown.map(() => Option.none()))
    })
  })

  describe("close", () => {
    for (const { ended, closing, order, pet } of endings) {
      const what = ended === undefined ? "placed" : ended === "complete" ? "completed" : "cancelled"
      promise(
        `${order === "refused" ? `refuses to ${closing}` : `${closing}s`} a ${what} order: its pet is ${pet} afterwards`,
        function* (orders) {
          const before = yield* orderEnded(ended)
          const result = yield* Effect.either(orders.close(before.id, closing, later))
          // Only a placed order gets a new timestamp. The adapter returns a closed order unchanged.
          const after = ended === undefined ? { ...before, status: order, updatedAt: later } : before
          expect(result).toStrictEqual(
            order === "refused"
              ? Either.left(new OrderClosed({ orderId: before.id, status: before.status }))
              : Either.right(after),
          )
          expect(yield* orders.find(before.id)).toStrictEqual(Option.some(after))
          expect(yield* statusOf(before.petId)).toBe(pet)
        },
      )
    }

    promise("does not change other orders or their pets", function* (orders) {
      const [one, other] = [yield* placeAt(timestamp(0)), yield* placeAt(timestamp(1))]
      yield* orders.close(one.id, "complete", later)
      expect(yield* orders.find(other.id)).toStrictEqual(Option.some(other))
      expect(yield* statusOf(other.petId)).toBe("pending")
    })

    promise("fails for identifiers that were not assigned", function* (orders) {
      for (const orderId of unassigned) {
        yield* refuses(orders.close(orderId, "complete", later), new OrderNotFound({ orderId }))
      }
    })

    promise("frees a pet for the next order, and does not free it again if the call is repeated", function* (orders) {
      const first = yield* orderEnded("cancel")
      const second = yield* orders.insert({ petId: first.petId }, later)
      expect(second.id).not.toBe(first.id)
      expect(yield* orders.close(first.id, "cancel", later)).toStrictEqual(first)
      expect(yield* statusOf(first.petId)).toBe("pending")
      yield* orders.close(second.id, "complete", later)
      expect(yield* statusOf(first.petId)).toBe("sold")
    })

    promise("either completes or cancels an order if both are requested concurrently", function* (orders) {
      for (const { id, petId } of yield* placeEach(10)) {
        const asked = Array.from({ length: 20 }, (_, index): OrderClosing => (index % 2 === 0 ? "complete" : "cancel"))
        const results = yield* atOnce(asked, (closing) => Effect.either(orders.close(id, closing, later)))
        const ended = Option.getOrThrow(yield* orders.find(id))
        const winner: OrderClosing = ended.status === "completed" ? "complete" : "cancel"
        expect(results).toStrictEqual(
          asked.map((closing) =>
            closing === winner ? Either.right(ended) : Either.left(new OrderClosed({ orderId: id, status: ended.status })),
          ),
        )
        expect(yield* statusOf(petId)).toBe(winner === "complete" ? "sold" : "available")
      }
    })
  })

  describe("the pets in orders", () => {
    promise("appear immediately in the list for their new status, and increase the store's revision, if any", function* (orders) {
      const freshness = yield* Effect.serviceOption(PetFreshness)
      const changes = () =>
        Option.match(freshness, { onNone: () => 0, onSome: ({ revision }) => Option.getOrThrow(revision()).changes })
      const petId = yield* petWith("available")
      const place = orders.insert({ petId }, timestamp(0))
      const close = (closing: OrderClosing) =>
        Effect.flatMap(ordersListed({ status: Option.some("placed") }), ([order]) =>
          orders.close(order?.id ?? 0n, closing, later),
        )
      const steps = [
        [place, "pending"],
        [close("cancel"), "available"],
        [place, "pending"],
        [close("complete"), "sold"],
      ] as const
      for (const [step, expected] of steps) {
        const before = changes()
        yield* step
        for (const status of petStatuses) {
          const ids = (yield* listed({ status: Option.some(status) })).map(({ id }) => id)
          expect(ids).toStrictEqual(status === expected ? [petId] : [])
        }
        if (Option.isSome(freshness)) expect(changes()).toBeGreaterThan(before)
      }
    })
  })

  promisesOfInsertOrderOnce(promise)
  promisesOfReservedPets(promise)
  promisesOfList(promise, { statuses: closedOrPlaced, ofEveryStatus, more: placeEach(1), listed: ordersListed })

  promise("lists the orders for one pet, by status and page by page", function* (orders) {
    const petId = yield* petWith("available")
    const ofPet: Array<Order> = []
    for (let count = 0; count < 4; count += 1) {
      yield* placeAt(timestamp(count))
      const { id } = yield* orders.insert({ petId }, timestamp(count))
      ofPet.push(yield* orders.close(id, "cancel", later))
    }
    const placed = yield* orders.insert({ petId }, timestamp(9))
    const all = [...ofPet, placed].toSorted(byId)
    expect(yield* ordersListed({ petId })).toStrictEqual(all)
    for (const [index, { id }] of all.entries()) {
      const following = all.slice(index + 1)
      expect(yield* ordersListed({ petId, after: Option.some(id), limit: 2 })).toStrictEqual(following.slice(0, 2))
    }
    for (const status of orderStatuses) {
      const ofStatus = all.filter((order) => order.status === status)
      expect(yield* ordersListed({ petId, status: Option.some(status) })).toStrictEqual(ofStatus)
    }
    expect(yield* ordersListed({ petId: 404n })).toStrictEqual([])
  })
})
