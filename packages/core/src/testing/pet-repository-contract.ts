import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { isInt64 } from "../json/int64.js"
import { type Pet, petStatuses, type ValidNewPet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { insertedOnce, newClaim, promisesOfInsertPetOnce } from "./insert-once-promises.js"
import { promisesOfList } from "./list-promises.js"
import { promisesOfChange } from "./pet-repository-change.js"
import { promisesOfInsertAll } from "./pet-repository-insert-all.js"
import { type PetStores, promisesOfLasting } from "./pet-repository-lasting.js"
import { promisesOfSearch } from "./pet-repository-search.js"
import { byId, found, insertEach, listed, newPet, numbered, page, unassigned } from "./pets.js"
import { atOnce, contractTest } from "./promise.js"
import { describe, expect, suite, type TestRunner } from "./runner.js"
import { unusualInt64s, unusualTexts } from "./unusual-values.js"

/** Pets with alternating statuses: the three values, then a pet without a status. */
const ofEveryStatus = (count: number): ReadonlyArray<ValidNewPet> =>
  Array.from({ length: count }, (_, index) => newPet(`Pet ${index}`, { status: petStatuses[index % 4] }))

/**
 * Declares the contract suite for `PetRepository`. Its longest test writes a thousand pets at once, so a slow store may need a
 * longer timeout in the runner.
 *
 * @param adapter  the adapter's name in the test report
 * @param empty    opens a store without pets; built again for each test
 * @param options  the stores for more tests, and the `runner` that declares the tests (vitest if absent)
 * @example        petRepositoryContract("memory", storage({ adapter: "memory" }, { migrate: true }))
 */
export const petRepositoryContract = (
  adapter: string,
  empty: Layer.Layer<PetRepository, unknown>,
  { runner, ...stores }: PetStores & { readonly runner?: TestRunner | undefined } = {},
): void => {
  suite(runner, `PetRepository on ${adapter}`, () => {
    const promise = contractTest(empty, PetRepository)

    describe("insert and find", () => {
      const promiseToKeep = (what: string, given: ValidNewPet) =>
        promise(`keep ${what}`, function* (pets) {
          const inserted = yield* pets.insert(given)
          const { id } = inserted
          expect(inserted).toStrictEqual({ id, ...given })
          expect(yield* found(id)).toStrictEqual({ id, ...given })
          expect(yield* listed()).toStrictEqual([{ id, ...given }])
        })

      for (const [what, name] of Object.entries(unusualTexts)) {
        promiseToKeep(`a name ${what} exactly as given`, newPet(name))
      }
      for (const categoryId of unusualInt64s) {
        promiseToKeep(`the categoryId ${categoryId} exactly as given`, newPet("Bello", { categoryId }))
      }
      for (const status of petStatuses) promiseToKeep(`the status ${status}`, newPet("Bello", { status }))

      promise("leave an absent status absent", function* (pets) {
        const inserted = yield* pets.insert(newPet("Bello"))
        const kept = yield* found(inserted.id)
        expect([inserted, kept ?? {}, ...(yield* listed())].map((pet) => "status" in pet)).toStrictEqual([false, false, false])
      })

      promise("neither store nor return a member that a pet does not have", function* (pets) {
        const withMore = { ...newPet("Bello"), id: 77n, owner: "Ada" }
        const inserted = yield* pets.insert(withMore)
        const again = yield* insertedOnce(pets, withMore, newClaim())
        for (const { id, ...rest } of [inserted, again]) {
          expect(rest).toStrictEqual(newPet("Bello"))
          expect(yield* found(id)).toStrictEqual({ id, ...newPet("Bello") })
        }
      })

      promise("distinguish pets whose names differ only in normalisation, case or white space", function* () {
        const given = ["\u00E9", "e\u0301", "\u00C9", "\u00E9 ", " \u00E9"].map((name) => newPet(name))
        const inserted = yield* insertEach(given)
        expect(yield* listed()).toStrictEqual(inserted.toSorted(byId))
      })

      promise("keep two pets with the same values", function* () {
        const inserted = yield* insertEach([newPet("Bello"), newPet("Bello")])
        expect(yield* listed()).toStrictEqual(inserted.toSorted(byId))
      })

      promise("assign 64-bit identifiers", function* () {
        const [inserted] = yield* insertEach(numbered(1))
        expect(inserted?.id).toSatisfy(isInt64)
      })

      promise("give a thousand concurrently inserted pets different identifiers, and lose none of them", function* (pets) {
        const given = numbered(1000)
        const inserted = yield* atOnce(given, (pet) => Effect.map(pets.insert(pet), ({ id }): Pet => ({ id, ...pet })))
        expect(new Set(inserted.map(({ id }) => id)).size).toBe(1000)
        expect(yield* listed()).toStrictEqual(inserted.toSorted(byId))
      })

      promise("find no pet for identifiers that were not assigned", function* () {
        const assigned = (yield* insertEach(numbered(1))).map(({ id }) => id)
        const unknown = unassigned.filter((id) => !assigned.includes(id))
        expect(yield* Effect.forEach(unknown, found)).toStrictEqual(unknown.map(() => undefined))
      })
    })

    promisesOfList(promise, {
      statuses: petStatuses,
      ofEveryStatus: (each) => insertEach(ofEveryStatus(each * 4)),
      more: insertEach(ofEveryStatus(2)),
      listed: page,
    })
    promisesOfInsertPetOnce(promise)
    promisesOfInsertAll(promise)
    promisesOfChange(promise)
    promisesOfSearch(promise)
    promisesOfLasting(stores)
  })
}
