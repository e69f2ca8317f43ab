import * as Effect from "effect/Effect"
import { IdempotencyKeyReused } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import type { Pet, ValidNewPet } from "../pets/pet.js"
import type { PetRepository } from "../pets/pet-repository.js"
import { expect } from "./expect.js"
import { byId, insertEach, listed, newPet, type PromiseOfPets } from "./pets.js"
import { atOnce, refuses } from "./promise.js"
import { describe } from "./runner.js"

const at = (millis: number): Date => new Date(Date.UTC(2026, 0, 2) + millis)

export const day = 24 * 60 * 60 * 1000

export const newClaim = (rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  accountId: "acc_owner",
  operation: "createPet",
  key: "a-1",
  fingerprint: "0".repeat(64),
  claimedAt: at(0),
  expiresAt: at(day),
  ...rest,
})

const later = (claim: IdempotencyClaim, millis: number, rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  ...claim,
  claimedAt: new Date(claim.claimedAt.getTime() + millis),
  expiresAt: new Date(claim.expiresAt.getTime() + millis),
  ...rest,
})

export const otherBody = { fingerprint: "1".repeat(64) }

export const insertedOnce = (pets: PetRepository["Type"], pet: ValidNewPet, claim: IdempotencyClaim) =>
  Effect.map(pets.insertOnce(pet, claim), ({ value }) => value)

export const promisesOfInsertOnce = (promise: PromiseOfPets): void => {
  describe("insertOnce", () => {
    for (const given of [newPet("Bello", { status: "sold" }), newPet("Bello")]) {
      promise(
        `stores a pet ${given.status === undefined ? "without" : "with"} a status, and returns it for a repeated request`,
        function* (pets) {
          const { value: pet, isNew } = yield* pets.insertOnce(given, newClaim())
          expect([pet, isNew]).toStrictEqual([{ id: pet.id, ...given }, true])
          expect(yield* pets.insertOnce(given, later(newClaim(), 1))).toStrictEqual({ value: pet, isNew: false })
          expect(yield* listed()).toStrictEqual([pet])
        },
      )
    }

    promise("returns the pet as it was created, even after it was corrected or removed", function* (pets) {
      const first = yield* insertedOnce(pets, newPet("Bello", { status: "sold" }), newClaim())
      const corrected: Pet = { ...first, name: "Rex", status: "available" }
      yield* pets.replace(first, corrected)
      expect(yield* insertedOnce(pets, newPet("Bello", { status: "sold" }), later(newClaim(), 1))).toStrictEqual(first)
      yield* pets.remove(corrected)
      expect(yield* insertedOnce(pets, newPet("Bello", { status: "sold" }), later(newClaim(), 2))).toStrictEqual(first)
      expect(yield* listed()).toStrictEqual([])
    })

    promise("refuses the same key with a different body, creates no pet, and still accepts the first body", function* (pets) {
      const first = yield* insertedOnce(pets, newPet("Bello"), newClaim())
      yield* refuses(
        insertedOnce(pets, newPet("Coco"), later(newClaim(), 1, otherBody)),
        new IdempotencyKeyReused({ key: "a-1" }),
      )
      expect(yield* insertedOnce(pets, newPet("Bello"), later(newClaim(), 2))).toStrictEqual(first)
      expect(yield* listed()).toStrictEqual([first])
    })

    promise("treats two requests as the same only if account, operation and key match exactly", function* (pets) {
      const claims = [
        newClaim(),
        newClaim({ key: "A-1" }),
        newClaim({ key: "a-1\\" }),
        newClaim({ key: "~".repeat(255) }),
        newClaim({ accountId: "acc_other" }),
        newClaim({ operation: "createPe", key: "ta-1" }),
        newClaim({ operation: "CreatePet" }),
      ]
      const made = yield* Effect.forEach(claims, (claim) => insertedOnce(pets, newPet("Bello"), claim))
      expect(new Set(made.map(({ id }) => id)).size).toBe(claims.length)
      expect(yield* Effect.forEach(claims, (claim) => insertedOnce(pets, newPet("Bello"), later(claim, 1)))).toStrictEqual(made)
      expect(yield* listed()).toStrictEqual(made.toSorted(byId))
    })

    promise("accepts a key for a new request only after the old request has expired", function* (pets) {
      const first = yield* insertedOnce(pets, newPet("Bello"), newClaim())
      expect(yield* insertedOnce(pets, newPet("Bello"), later(newClaim(), day - 1))).toStrictEqual(first)
      const second = yield* insertedOnce(pets, newPet("Coco"), later(newClaim(), day, otherBody))
      expect(second.id).not.toBe(first.id)
      expect(yield* insertedOnce(pets, newPet("Coco"), later(newClaim(), 2 * day - 1, otherBody))).toStrictEqual(second)
      expect(yield* listed()).toStrictEqual([first, second].toSorted(byId))
    })

    promise("forgets only expired requests", function* (pets) {
      const lasting = later(newClaim({ key: "lasting" }), day / 2)
      const kept = yield* insertedOnce(pets, newPet("Lasting"), lasting)
      const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
      yield* Effect.forEach(keys, (key) => insertedOnce(pets, newPet(key), newClaim({ key })))
      yield* Effect.forEach(keys, (key) => insertedOnce(pets, newPet(key), later(newClaim({ key }), day + 1)))
      expect(yield* insertedOnce(pets, newPet("Lasting"), later(lasting, day / 2 + 2))).toStrictEqual(kept)
      expect(yield* listed()).toHaveLength(101)
    })

    promise(
      "creates one pet for fifty concurrent requests, returns it to each, and marks exactly one result as new",
      function* (pets) {
        const results = yield* atOnce(Array(50).keys(), () => pets.insertOnce(newPet("Bello"), newClaim()))
        const [made, ...others] = yield* listed()
        expect(others).toStrictEqual([])
        for (const { value } of results) expect(value).toStrictEqual(made)
        expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
      },
    )

    promise("does not affect plain inserts: two inserts with the same values create two pets", function* (pets) {
      const once = yield* insertedOnce(pets, newPet("Bello"), newClaim())
      const more: ReadonlyArray<Pet> = yield* insertEach([newPet("Bello"), newPet("Bello")])
      expect(yield* listed()).toStrictEqual([once, ...more].toSorted(byId))
    })
  })
}
