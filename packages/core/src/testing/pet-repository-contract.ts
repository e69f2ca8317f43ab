/** The promises of `PetRepository`: one pet, and lists of them. Those of `insertOnce`, `insertAll` and `revision` have files of their own. */
import { Effect, type Layer, Option } from "effect"
import { describe, expect } from "vitest"
import { isInt64, maxInt64, minInt64 } from "../json/int64.js"
import type { NewPet, Pet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { type PetStatus, petStatuses } from "../pets/pet-status.js"
import { promisesOfInsertAll } from "./pet-repository-insert-all.js"
import { promisesOfInsertOnce } from "./pet-repository-insert-once.js"
import { promisesOfRevision } from "./pet-repository-revision.js"
import { byId, found, insertEach, listed, newPet, numbered, unassigned } from "./pets.js"
import { atOnce, promiseOn } from "./promise.js"
import { unusualInt64s } from "./unusual-int64s.js"
import { unusualTexts } from "./unusual-texts.js"

/** Each pet with its statuses in turn, the fourth without one. */
const ofEveryStatus = (count: number): ReadonlyArray<NewPet> =>
  numbered(count).map((pet, index) => {
    const status = petStatuses[index % 4]
    return status === undefined ? pet : { ...pet, status }
  })

/** Reads all pages as a caller does: each starts after the last pet of the one before. `meanwhile` runs after each. */
const walk = (status: Option.Option<PetStatus>, limit: number, meanwhile: Effect.Effect<unknown, unknown, PetRepository>) =>
  Effect.gen(function* () {
    const seen: Array<Pet> = []
    let page: ReadonlyArray<Pet>
    do {
      page = yield* listed({ status, limit, after: Option.fromNullable(seen.at(-1)?.id) })
      seen.push(...page)
      yield* meanwhile
      // An adapter that goes in circles fails here instead of going on for ever.
      expect(seen.length).toBeLessThan(1000)
    } while (page.length === limit)
    return seen
  })

/**
 * Declares the contract suite of `PetRepository` in vitest.
 *
 * @param adapter  what the report calls the adapter
 * @param empty    opens a store without pets; built anew for each test
 * @example        petRepositoryContract("memory", storage({ adapter: "memory" }, { migrate: true }))
 */
export const petRepositoryContract = (adapter: string, empty: Layer.Layer<PetRepository, unknown>): void => {
  describe(`PetRepository on ${adapter}`, () => {
    const promise = promiseOn(empty, PetRepository)

    describe("insert and find", () => {
      const promiseToKeep = (what: string, given: NewPet) =>
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

      promise("ignore members that a pet does not have", function* (pets) {
        const withMore = { ...newPet("Bello"), id: 77n, owner: "Ada" }
        const { id } = yield* pets.insert(withMore)
        expect(yield* found(id)).toStrictEqual({ id, ...newPet("Bello") })
      })

      promise("keep pets apart whose names differ only in normalisation, case or white space", function* () {
        const given = ["\u00E9", "e\u0301", "\u00C9", "\u00E9 ", " \u00E9"].map((name) => newPet(name))
        const inserted = yield* insertEach(given)
        expect(yield* listed()).toStrictEqual(inserted.toSorted(byId))
      })

      promise("keep two pets that are alike", function* () {
        const inserted = yield* insertEach([newPet("Bello"), newPet("Bello")])
        expect(yield* listed()).toStrictEqual(inserted.toSorted(byId))
      })

      promise("assign identifiers of 64 bits", function* () {
        const [inserted] = yield* insertEach(numbered(1))
        expect(inserted?.id).toSatisfy(isInt64)
      })

      promise("give a thousand concurrent pets a thousand identifiers, and lists them all", function* (pets) {
        const given = numbered(1000)
        const inserted = yield* atOnce(given, (pet) => Effect.map(pets.insert(pet), ({ id }): Pet => ({ id, ...pet })))
        expect(new Set(inserted.map(({ id }) => id)).size).toBe(1000)
        expect(yield* listed()).toStrictEqual(inserted.toSorted(byId))
      })

      promise("find nothing under identifiers that were not assigned", function* () {
        const assigned = (yield* insertEach(numbered(1))).map(({ id }) => id)
        const unknown = unassigned.filter((id) => !assigned.includes(id))
        expect(yield* Effect.forEach(unknown, found)).toStrictEqual(unknown.map(() => undefined))
      })
    })

    describe("list", () => {
      promise("is empty while there are no pets", function* () {
        expect(yield* listed()).toStrictEqual([])
        expect(yield* listed({ status: Option.some("sold") })).toStrictEqual([])
      })

      promise("ascends by identifier and stops at the limit", function* () {
        const inserted = (yield* insertEach(ofEveryStatus(25))).toSorted(byId)
        for (const limit of [1, 2, 24, 25, 26, 101]) {
          expect(yield* listed({ limit })).toStrictEqual(inserted.slice(0, limit))
        }
      })

      promise("holds the pets of one status only, and no pet without one", function* () {
        const inserted = (yield* insertEach(ofEveryStatus(40))).toSorted(byId)
        for (const status of petStatuses) {
          const expected = inserted.filter((pet) => pet.status === status)
          expect(expected).toHaveLength(10)
          expect(yield* listed({ status: Option.some(status) })).toStrictEqual(expected)
          expect(yield* listed({ status: Option.some(status), limit: 3 })).toStrictEqual(expected.slice(0, 3))
        }
      })

      promise("starts after any identifier, assigned or not", function* () {
        const inserted = (yield* insertEach(ofEveryStatus(12))).toSorted(byId)
        const starts = inserted.flatMap(({ id }) => [id - 1n, id, id + 1n])
        for (const after of [...starts, 0n, -1n, maxInt64 - 1n, maxInt64, minInt64]) {
          const expected = inserted.filter(({ id }) => id > after)
          expect(yield* listed({ after: Option.some(after) })).toStrictEqual(expected)
          expect(yield* listed({ after: Option.some(after), status: Option.some("sold"), limit: 2 })).toStrictEqual(
            expected.filter(({ status }) => status === "sold").slice(0, 2),
          )
        }
      })

      for (const status of [Option.none(), ...petStatuses.map(Option.some)]) {
        const what = Option.getOrElse(status, () => "any status")
        promise(`page by page shows each pet of ${what} once, while others are added`, function* () {
          const before = (yield* insertEach(ofEveryStatus(40))).toSorted(byId)
          const meanwhile: Array<Pet> = []
          const seen = yield* walk(
            status,
            3,
            Effect.map(insertEach(ofEveryStatus(2)), (added) => meanwhile.push(...added)),
          )
          const matching = before.filter((pet) => Option.isNone(status) || pet.status === status.value)
          const ids = new Set(before.map(({ id }) => id))
          expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(matching)
          expect(seen).toStrictEqual(seen.toSorted(byId))
          expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
          expect(meanwhile.length).toBeGreaterThan(0)
        })
      }
    })

    promisesOfInsertOnce(promise)
    promisesOfInsertAll(promise)
    promisesOfRevision(promise)
  })
}
