import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { IdempotencyKeyReused, PetNotAvailable, PetNotFound } from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { Order } from "../orders/order.js"
import { OrderRepository } from "../orders/order-repository.js"
import type { Pet, PetId, ValidNewPet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { ordersListed, type PromiseOfOrders, petWith, statusOf, timestamp } from "./orders.js"
import { byId, insertEach, listed, newPet, type PromiseOfPets } from "./pets.js"
import { atOnce, type DeclarePromise, refuses } from "./promise.js"
import { describe, expect } from "./runner.js"

const day = 24 * 60 * 60 * 1000

/** A claim that is made `millis` ms after `timestamp(0)`, and expires a day later. */
const claimAt = (millis: number, rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  accountId: "acc_owner",
  operation: "createPet",
  key: "a-1",
  fingerprint: "0".repeat(64),
  claimedAt: timestamp(millis),
  expiresAt: timestamp(millis + day),
  ...rest,
})

export const newClaim = (rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => claimAt(0, rest)

const otherBody = { fingerprint: "1".repeat(64) }

interface Subject<R, Given, A> {
  readonly operation: string
  /** Prepares the content of a request. Each index has its own content. */
  readonly given: (index: number) => Effect.Effect<Given, unknown, R>
  readonly insertOnce: (given: Given, claim: IdempotencyClaim) => Effect.Effect<MadeOnce<A>, unknown, R>
  readonly expected: (id: bigint, given: Given, createdAt: Date) => A
  readonly listed: () => Effect.Effect<ReadonlyArray<A>, unknown, R>
}

const promisesOfInsertOnce = <R, Port, Given, A extends { readonly id: bigint }>(
  promise: DeclarePromise<R, Port>,
  { operation, given, insertOnce, expected, listed }: Subject<R, Given, A>,
): void => {
  const claim = (millis: number, rest: Partial<IdempotencyClaim> = {}) => claimAt(millis, { operation, ...rest })
  const once = (one: Given, of: IdempotencyClaim) => Effect.map(insertOnce(one, of), ({ value }) => value)

  promise("stores one item for each key, and returns it for a repeated request", function* () {
    const made: Array<A> = []
    for (const [index, key] of ["a-1", "a-2"].entries()) {
      const one = yield* given(index)
      const { value, isNew } = yield* insertOnce(one, claim(0, { key }))
      expect([value, isNew]).toStrictEqual([expected(value.id, one, timestamp(0)), true])
      expect(yield* insertOnce(one, claim(1, { key }))).toStrictEqual({ value, isNew: false })
      made.push(value)
    }
    expect(yield* listed()).toStrictEqual(made.toSorted(byId))
  })

  promise("refuses the same key with a different body, stores nothing, and still accepts the first body", function* () {
    const [one, other] = [yield* given(0), yield* given(1)]
    const first = yield* once(one, claim(0))
    yield* refuses(once(other, claim(1, otherBody)), new IdempotencyKeyReused({ key: "a-1" }))
    expect(yield* once(one, claim(2))).toStrictEqual(first)
    expect(yield* listed()).toStrictEqual([first])
    expect((yield* insertOnce(other, claim(3, { key: "a-2" }))).isNew).toBe(true)
  })

  promise("treats two requests as the same only if account, operation and key match exactly", function* () {
    const differences = [
      {},
      { key: "A-1" },
      { key: "a-1\\" },
      { key: "~".repeat(255) },
      { accountId: "acc_other" },
      { operation: operation.slice(0, -1), key: `${operation.slice(-1)}a-1` },
      { operation: operation.replace("c", "C") },
    ]
    const requests = yield* Effect.forEach(differences, (rest, index) => Effect.map(given(index), (one) => [one, rest] as const))
    const made = yield* Effect.forEach(requests, ([one, rest]) => once(one, claim(0, rest)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(differences.length)
    expect(yield* Effect.forEach(requests, ([one, rest]) => once(one, claim(1, rest)))).toStrictEqual(made)
    expect(yield* listed()).toStrictEqual(made.toSorted(byId))
  })

  promise("accepts a key for a new request only after the old request has expired", function* () {
    const [one, other] = [yield* given(0), yield* given(1)]
    const first = yield* once(one, claim(0))
    expect(yield* once(one, claim(day - 1))).toStrictEqual(first)
    const second = yield* once(other, claim(day, otherBody))
    expect(second).toStrictEqual(expected(second.id, other, timestamp(day)))
    expect(yield* once(other, claim(2 * day - 1, otherBody))).toStrictEqual(second)
    expect(second.id).not.toBe(first.id)
    expect(yield* listed()).toStrictEqual([first, second].toSorted(byId))
  })

  promise("stores one item for fifty concurrent requests, and marks exactly one result as new", function* () {
    const one = yield* given(0)
    const results = yield* atOnce(Array(50).keys(), () => insertOnce(one, claim(0)))
    const [made, ...others] = yield* listed()
    expect(others).toStrictEqual([])
    for (const { value } of results) expect(value).toStrictEqual(made)
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
  })
}

export const insertedOnce = (pets: PetRepository["Type"], pet: ValidNewPet, claim: IdempotencyClaim) =>
  Effect.map(pets.insertOnce(pet, claim), ({ value }) => value)

export const promisesOfInsertPetOnce = (promise: PromiseOfPets): void => {
  describe("insertOnce", () => {
    promisesOfInsertOnce(promise, {
      operation: "createPet",
      given: (index) => Effect.succeed(newPet(`Pet ${index}`, { status: index === 0 ? "sold" : undefined })),
      insertOnce: (pet, claim) => Effect.flatMap(PetRepository, (pets) => pets.insertOnce(pet, claim)),
      expected: (id, pet): Pet => ({ id, ...pet }),
      listed,
    })

    promise("returns the pet as it was created, even after it was corrected or removed", function* (pets) {
      const bello = newPet("Bello", { status: "sold" })
      const first = yield* insertedOnce(pets, bello, newClaim())
      const corrected: Pet = { ...first, name: "Rex", status: "available" }
      yield* pets.replace(first, corrected)
      expect(yield* insertedOnce(pets, bello, claimAt(1))).toStrictEqual(first)
      yield* pets.remove(corrected)
      expect(yield* insertedOnce(pets, bello, claimAt(2))).toStrictEqual(first)
      expect(yield* listed()).toStrictEqual([])
    })

    promise("forgets only expired requests", function* (pets) {
      const kept = yield* insertedOnce(pets, newPet("Lasting"), claimAt(day / 2, { key: "lasting" }))
      const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
      yield* Effect.forEach(keys, (key) => insertedOnce(pets, newPet(key), newClaim({ key })))
      yield* Effect.forEach(keys, (key) => insertedOnce(pets, newPet(key), claimAt(day + 1, { key })))
      expect(yield* insertedOnce(pets, newPet("Lasting"), claimAt(day + 2, { key: "lasting" }))).toStrictEqual(kept)
      expect(yield* listed()).toHaveLength(101)
    })

    promise("does not affect plain inserts: two inserts with the same values create two pets", function* (pets) {
      const once = yield* insertedOnce(pets, newPet("Bello"), newClaim())
      const more: ReadonlyArray<Pet> = yield* insertEach([newPet("Bello"), newPet("Bello")])
      expect(yield* listed()).toStrictEqual([once, ...more].toSorted(byId))
    })
  })
}

const placed = (id: bigint, petId: PetId, createdAt: Date): Order => ({
  id,
  petId,
  status: "placed",
  createdAt,
  updatedAt: createdAt,
})

/** Orders a pet once with the key `a-1`, `millis` ms after `timestamp(0)`. */
const placedOnce = (orders: OrderRepository["Type"], petId: PetId, millis: number, rest: Partial<IdempotencyClaim> = {}) =>
  Effect.map(orders.insertOnce({ petId }, claimAt(millis, { operation: "createOrder", ...rest })), ({ value }) => value)

export const promisesOfInsertOrderOnce = (promise: PromiseOfOrders): void => {
  describe("insertOnce", () => {
    promisesOfInsertOnce(promise, {
      operation: "createOrder",
      given: () => petWith("available"),
      insertOnce: (petId, claim) => Effect.flatMap(OrderRepository, (orders) => orders.insertOnce({ petId }, claim)),
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
      const first = yield* orders.insert({ petId }, timestamp(0))
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
