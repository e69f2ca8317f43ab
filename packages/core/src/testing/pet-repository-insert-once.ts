import * as Effect from "effect/Effect"
import type { IdempotencyClaim } from "../idempotency.js"
import type { Pet, ValidNewPet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { expect } from "./expect.js"
import { claimAt, day, newClaim, promisesOfInsertOnce } from "./insert-once-promises.js"
import { byId, insertEach, listed, newPet, type PromiseOfPets } from "./pets.js"
import { describe } from "./runner.js"

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
