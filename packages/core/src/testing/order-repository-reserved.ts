import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { PetChanged, PetNotFound, PetReserved } from "../errors.js"
import { OrderRepository } from "../orders/order-repository.js"
import { type Pet, petStatuses } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { newClaim } from "./insert-once-promises.js"
import { ordersListed, type PromiseOfOrders, placeAt, timestamp } from "./orders.js"
import { found, listed, newPet } from "./pets.js"
import { refuses } from "./promise.js"
import { describe, expect } from "./runner.js"

/** One pet for each way to become pending without being held by a placed order. */
const freePets = Effect.gen(function* () {
  const pets = yield* PetRepository
  const pending = newPet("Bello", { status: "pending" })
  const sold = yield* pets.insert(newPet("Bello", { status: "sold" }))
  yield* pets.replace(sold, { ...sold, status: "pending" })
  yield* pets.insert(pending)
  yield* pets.insertOnce(pending, newClaim())
  yield* pets.insertAll(Stream.make([pending, newPet("Bello")], [pending]))
  const { id, petId } = yield* placeAt(timestamp(0))
  yield* (yield* OrderRepository).close(id, "cancel", timestamp(1))
  const cancelled = Option.getOrThrow(yield* pets.find(petId))
  yield* pets.replace(cancelled, { ...cancelled, status: "pending" })
  return yield* listed({ status: Option.some("pending") })
})

const reservedPet = Effect.gen(function* () {
  const { petId } = yield* placeAt(timestamp(0))
  const pets = yield* PetRepository
  return { pets, pet: Option.getOrThrow(yield* pets.find(petId)) }
})

export const promisesOfReservedPets = (promise: PromiseOfOrders): void => {
  describe("a pet that a placed order holds", () => {
    promise("can neither change its status nor be removed", function* () {
      const { pets, pet } = yield* reservedPet
      const reserved = new PetReserved({ petId: pet.id })
      const { status: _, ...withoutStatus } = pet
      for (const to of [{ ...pet, status: "available" }, { ...pet, name: "Rex", status: "sold" }, withoutStatus] as const) {
        yield* refuses(pets.replace(pet, to), reserved)
      }
      yield* refuses(pets.remove(pet), reserved)
      expect(yield* found(pet.id)).toStrictEqual(pet)
    })

    promise("accepts another name and category, and stays reserved", function* (orders) {
      const { pets, pet } = yield* reservedPet
      const to = { ...pet, name: "Rex", categoryId: 9n }
      yield* pets.replace(pet, to)
      expect(yield* found(pet.id)).toStrictEqual(to)
      yield* refuses(pets.remove(to), new PetReserved({ petId: pet.id }))
      const [order] = yield* ordersListed()
      yield* orders.close(order?.id ?? 0n, "complete", timestamp(1))
      expect(yield* found(pet.id)).toStrictEqual({ ...to, status: "sold" })
    })

    promise("can be corrected together with other pets, except for its status", function* () {
      const { pets, pet } = yield* reservedPet
      const other = yield* pets.insert(newPet("Ada"))
      const corrections = [
        [pet.id, { name: "Rex", status: "available" }],
        [pet.id, { status: null }],
        [pet.id, { name: "Mia", status: "pending" }],
        [other.id, { status: "pending" }],
      ] as const
      expect(yield* pets.correctAll(corrections)).toStrictEqual(["reserved", "reserved", "done", "done"])
      expect(yield* found(pet.id)).toStrictEqual({ ...pet, name: "Mia" })
      yield* refuses(pets.remove({ ...pet, name: "Mia" }), new PetReserved({ petId: pet.id }))
      yield* pets.remove({ ...other, status: "pending" })
    })

    promise("is reported as changed, not as reserved, if the caller read different values", function* () {
      const { pets, pet } = yield* reservedPet
      const seen: Pet = { ...pet, status: "available" }
      const changed = new PetChanged({ petId: pet.id })
      yield* refuses(pets.replace(seen, { ...seen, status: "sold" }), changed)
      yield* refuses(pets.remove(seen), changed)
    })

    for (const closing of ["complete", "cancel"] as const) {
      promise(`can be changed and removed after close("${closing}"), and its order stays`, function* (orders) {
        const pets = yield* PetRepository
        const order = yield* placeAt(timestamp(0))
        const closed = yield* orders.close(order.id, closing, timestamp(1))
        for (const status of petStatuses) {
          const pet = Option.getOrThrow(yield* pets.find(order.petId))
          yield* pets.replace(pet, { ...pet, status })
        }
        const pet = Option.getOrThrow(yield* pets.find(order.petId))
        yield* pets.remove(pet)
        expect(yield* orders.find(order.id)).toStrictEqual(Option.some(closed))
        expect(yield* ordersListed()).toStrictEqual([closed])
        expect(yield* orders.close(order.id, closing, timestamp(2))).toStrictEqual(closed)
        yield* refuses(orders.insert({ petId: order.petId }, timestamp(3)), new PetNotFound({ petId: order.petId }))
      })
    }
  })

  describe("a pending pet that no order holds", () => {
    const promiseOfEach = (
      name: string,
      change: (pets: PetRepository["Type"], pet: Pet) => Effect.Effect<void, unknown>,
      expected: (pet: Pet) => Pet | undefined,
    ) =>
      promise(name, function* () {
        const pets = yield* PetRepository
        const free = yield* freePets
        expect(free).toHaveLength(6)
        for (const pet of free) {
          yield* change(pets, pet)
          expect(yield* found(pet.id)).toStrictEqual(expected(pet))
        }
      })

    const available = (pet: Pet): Pet => ({ ...pet, status: "available" })
    promiseOfEach("accepts any status", (pets, pet) => pets.replace(pet, available(pet)), available)
    promiseOfEach(
      "can change its name, and then its status",
      (pets, pet) =>
        Effect.zipRight(pets.replace(pet, { ...pet, name: "Rex" }), pets.replace({ ...pet, name: "Rex" }, available(pet))),
      available,
    )
    const removed = () => undefined
    promiseOfEach("can be removed", (pets, pet) => pets.remove(pet), removed)
  })

  describe("a concurrent order and removal", () => {
    promise("happen one after the other: an ordered pet is not removed, and a removed pet is not ordered", function* (orders) {
      const pets = yield* PetRepository
      for (let round = 0; round < 20; round += 1) {
        const pet = yield* pets.insert(newPet("Bello", { status: "available" }))
        const isOrdered = Effect.isSuccess(orders.insert({ petId: pet.id }, timestamp(round)))
        const isRemoved = Effect.isSuccess(pets.remove(pet))
        const steps = round % 2 === 0 ? { isOrdered, isRemoved } : { isRemoved, isOrdered }
        const happened = yield* Effect.all(steps, { concurrency: "unbounded" })
        expect(happened.isRemoved).toBe(!happened.isOrdered)
        expect(yield* found(pet.id)).toStrictEqual(happened.isOrdered ? { ...pet, status: "pending" } : undefined)
      }
    })
  })
}
