import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Inventory } from "../inventory/inventory.js"
import { InventoryRepository } from "../inventory/inventory-repository.js"
import { OrderRepository } from "../orders/order-repository.js"
import { petStatuses } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { newClaim } from "./insert-once-promises.js"
import { orderEnded, petWith, placeAt, timestamp } from "./orders.js"
import { newPet, numbered } from "./pets.js"
import { atOnce, type ContractSuite, contractSuite } from "./promise.js"
import { expect } from "./runner.js"

const expected = (counts: Partial<Omit<Inventory, "total">>): Inventory => ({
  available: 0,
  pending: 0,
  sold: 0,
  withoutStatus: 0,
  ...counts,
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
})

type Services = InventoryRepository | OrderRepository | PetRepository

/** Declares the contract suite for `InventoryRepository`. */
export const inventoryRepositoryContract: ContractSuite<Services> = contractSuite(InventoryRepository, (promise) => {
  promise("returns zero for every count in an empty store", function* ({ read }) {
    expect(yield* read).toStrictEqual(expected({}))
  })

  promise("counts the pets with each status, and those without a status", function* ({ read }) {
    for (const status of [...petStatuses, "available", undefined, undefined, undefined] as const) yield* petWith(status)
    expect(yield* read).toStrictEqual(expected({ available: 2, pending: 1, sold: 1, withoutStatus: 3 }))
  })

  promise("counts every pet exactly once if many are created concurrently", function* ({ read }) {
    const pets = yield* PetRepository
    const given = Array.from({ length: 200 }, (_, index) => newPet("Bello", { status: index % 2 === 0 ? "sold" : undefined }))
    yield* atOnce(given, (pet) => pets.insert(pet))
    expect(yield* read).toStrictEqual(expected({ sold: 100, withoutStatus: 100 }))
  })

  promise("counts a pet once if the request to create it arrives twice", function* ({ read }) {
    const pets = yield* PetRepository
    yield* pets.insertOnce(newPet("Bello", { status: "available" }), newClaim())
    yield* pets.insertOnce(newPet("Bello", { status: "available" }), newClaim())
    expect(yield* read).toStrictEqual(expected({ available: 1 }))
  })

  promise("counts the pets in an import, but not those in a failed import", function* ({ read }) {
    const pets = yield* PetRepository
    yield* pets.insertAll(Stream.make(numbered(30), [newPet("Rex", { status: "pending" })], numbered(3)))
    yield* Effect.either(
      pets.insertAll(Stream.concat(Stream.make(numbered(5), numbered(5)), Stream.fail("the file ended early"))),
    )
    expect(yield* read).toStrictEqual(expected({ pending: 1, withoutStatus: 33 }))
  })

  promise("updates the counts when a pet is ordered, sold or released", function* ({ read }) {
    yield* orderEnded("complete")
    yield* orderEnded("cancel")
    yield* orderEnded(undefined)
    expect(yield* read).toStrictEqual(expected({ sold: 1, available: 1, pending: 1 }))
  })

  promise("updates the counts when a pet is corrected or removed", function* ({ read }) {
    const pets = yield* PetRepository
    let pet = yield* pets.insert(newPet("Bello"))
    for (const status of [...petStatuses, "pending", undefined] as const) {
      const to = { id: pet.id, ...newPet("Rex", { status }) }
      yield* pets.replace(pet, to)
      yield* pets.replace(to, { ...to, name: "Bello" })
      pet = { ...to, name: "Bello" }
      expect(yield* read).toStrictEqual(expected(status === undefined ? { withoutStatus: 1 } : { [status]: 1 }))
    }
    yield* pets.correctAll([
      [pet.id, { status: "sold" }],
      [pet.id, { name: "Mia" }],
      [-1n, { status: "sold" }],
    ])
    expect(yield* read).toStrictEqual(expected({ sold: 1 }))
    yield* pets.correctAll([[pet.id, { name: "Bello", status: null }]])
    expect(yield* read).toStrictEqual(expected({ withoutStatus: 1 }))
    yield* Effect.either(pets.remove({ ...pet, name: "Rex" }))
    expect(yield* read).toStrictEqual(expected({ withoutStatus: 1 }))
    yield* pets.remove(pet)
    expect(yield* read).toStrictEqual(expected({}))
  })

  promise("does not change the counts for refused or repeated requests", function* ({ read }) {
    const orders = yield* OrderRepository
    const order = yield* placeAt(timestamp(0))
    yield* Effect.either(orders.insert({ petId: order.petId }, timestamp(1)))
    const claim = newClaim({ operation: "createOrder" })
    const petId = yield* petWith("available")
    yield* orders.insertOnce({ petId }, claim)
    yield* orders.insertOnce({ petId }, claim)
    yield* orders.close(order.id, "complete", timestamp(2))
    yield* orders.close(order.id, "complete", timestamp(3))
    yield* Effect.either(orders.close(order.id, "cancel", timestamp(4)))
    expect(yield* read).toStrictEqual(expected({ sold: 1, pending: 1 }))
  })

  promise("recounts correctly, and still updates the counts afterwards", function* ({ read, recount }) {
    yield* petWith("available")
    yield* petWith(undefined)
    const now = expected({ available: 1, withoutStatus: 1 })
    expect(yield* recount).toStrictEqual({ kept: now, counted: now })
    yield* petWith("available")
    expect(yield* read).toStrictEqual(expected({ available: 2, withoutStatus: 1 }))
  })
})
