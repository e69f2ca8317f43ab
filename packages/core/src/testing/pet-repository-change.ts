import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { PetChanged, PetNotFound } from "../errors.js"
import { type Pet, petStatuses, type ValidNewPet } from "../pets/pet.js"
import { newClaim } from "./insert-once-promises.js"
import { byId, found, insertEach, listed, newPet, numbered, type PromiseOfPets } from "./pets.js"
import { atOnce, refuses } from "./promise.js"
import { describe, expect } from "./runner.js"
import { unusualInt64s, unusualTexts } from "./unusual-values.js"

const bello = newPet("Bello", { status: "available" })

const others: ReadonlyArray<ValidNewPet> = [
  newPet("bello", { status: "available" }),
  newPet("Bello", { status: "available", categoryId: 2n }),
  newPet("Bello", { status: "sold" }),
  newPet("Bello"),
]

export const promisesOfChange = (promise: PromiseOfPets): void => {
  describe("replace", () => {
    const promiseToTake = (what: string, from: ValidNewPet, to: ValidNewPet) =>
      promise(`stores ${what}`, function* (pets) {
        const [before, pet, following] = yield* insertEach([newPet("Ada"), from, newPet("Coco")])
        const changed = { id: pet.id, ...to }
        yield* pets.replace(pet, changed)
        expect(yield* found(pet.id)).toStrictEqual(changed)
        expect(yield* listed()).toStrictEqual([before, changed, following].toSorted(byId))
      })

    for (const [what, name] of Object.entries(unusualTexts)) promiseToTake(`a name ${what}`, bello, { ...bello, name })
    for (const categoryId of unusualInt64s) promiseToTake(`the categoryId ${categoryId}`, bello, { ...bello, categoryId })
    for (const status of [...petStatuses, undefined]) {
      for (const from of [...petStatuses, undefined]) {
        const what = `the status ${status ?? "none"} instead of ${from ?? "none"}`
        promiseToTake(what, newPet("Bello", { status: from }), newPet("Bello", { status }))
      }
    }

    promise("moves the pet to the list for its new status", function* (pets) {
      const [pet] = yield* insertEach([bello])
      yield* pets.replace(pet, { ...pet, status: "sold" })
      expect(yield* listed({ status: Option.some("sold") })).toStrictEqual([{ ...pet, status: "sold" }])
      expect(yield* listed({ status: Option.some("available") })).toStrictEqual([])
    })

    promise("does not change a pet that has changed since it was read", function* (pets) {
      const [pet] = yield* insertEach([bello])
      for (const other of others) {
        const refused = new PetChanged({ petId: pet.id })
        yield* refuses(pets.replace({ ...other, id: pet.id }, { ...pet, name: "Rex" }), refused)
        yield* refuses(pets.remove({ ...other, id: pet.id }), refused)
      }
      expect(yield* listed()).toStrictEqual([pet])
    })

    promise("applies exactly one of twenty concurrent changes to a pet", function* (pets) {
      const [pet] = yield* insertEach([bello])
      const given = numbered(20).map((to): Pet => ({ ...to, id: pet.id }))
      const results = yield* atOnce(given, (to) => Effect.either(pets.replace(pet, to)))
      const made = given.filter((_, index) => results[index] !== undefined && Either.isRight(results[index]))
      expect(made).toHaveLength(1)
      expect(yield* listed()).toStrictEqual(made)
    })
  })

  describe("correctAll", () => {
    promise("changes only the members that each correction contains", function* (pets) {
      const [one, other, third, untouched] = yield* insertEach([bello, newPet("Ada"), bello, bello])
      const corrections = [
        [one.id, { name: "Rex" }],
        [other.id, { categoryId: 9n, status: "sold" }],
        [third.id, { status: null }],
      ] as const
      expect(yield* pets.correctAll(corrections)).toStrictEqual(["done", "done", "done"])
      const { status: _, ...withoutStatus } = third
      const expected = [{ ...one, name: "Rex" }, { ...other, categoryId: 9n, status: "sold" }, withoutStatus, untouched]
      expect(yield* listed()).toStrictEqual(expected.toSorted(byId))
      expect(yield* listed({ status: Option.some("sold") })).toStrictEqual([{ ...other, categoryId: 9n, status: "sold" }])
    })

    promise("applies several corrections to one pet one after the other", function* (pets) {
      const [pet] = yield* insertEach([bello])
      const corrections = ["a", "b", "c"].map((name, index) => [pet.id, index === 1 ? { name, status: null } : { name }] as const)
      expect(yield* pets.correctAll(corrections)).toStrictEqual(["done", "done", "done"])
      expect(yield* listed()).toStrictEqual([{ id: pet.id, name: "c", categoryId: pet.categoryId }])
    })

    promise("reports which pets do not exist, and corrects the others", function* (pets) {
      const [pet, removed] = yield* insertEach([bello, bello])
      yield* pets.remove(removed)
      const corrections = [removed.id, pet.id, -1n].map((id) => [id, { name: "Rex" }] as const)
      expect(yield* pets.correctAll(corrections)).toStrictEqual(["not-found", "done", "not-found"])
      expect(yield* listed()).toStrictEqual([{ ...pet, name: "Rex" }])
    })

    for (const [what, name] of Object.entries(unusualTexts)) {
      promise(`stores a name ${what}`, function* (pets) {
        const [pet] = yield* insertEach([bello])
        yield* pets.correctAll([[pet.id, { name }]])
        expect(yield* found(pet.id)).toStrictEqual({ ...pet, name })
      })
    }

    promise("accepts an empty list of corrections", function* (pets) {
      expect(yield* pets.correctAll([])).toStrictEqual([])
    })
  })

  describe("remove", () => {
    promise("removes only the given pet", function* (pets) {
      const [one, pet, other] = yield* insertEach([newPet("Ada"), newPet("Bello"), newPet("Coco")])
      yield* pets.remove(pet)
      expect(yield* found(pet.id)).toBe(undefined)
      expect(yield* listed()).toStrictEqual([one, other].toSorted(byId))
    })

    promise("fails for a pet that does not exist, and so does replace", function* (pets) {
      const [pet] = yield* insertEach([bello])
      yield* pets.remove(pet)
      const missing = new PetNotFound({ petId: pet.id })
      yield* refuses(pets.remove(pet), missing)
      yield* refuses(pets.replace(pet, { ...pet, name: "Rex" }), missing)
      expect(yield* listed()).toStrictEqual([])
    })

    promise("never reuses the pet's identifier", function* (pets) {
      const removed = yield* insertEach(numbered(3))
      yield* Effect.forEach(removed, (pet) => pets.remove(pet))
      const more = yield* insertEach(numbered(3))
      const { value: once } = yield* pets.insertOnce(bello, newClaim())
      expect(new Set([...removed, ...more, once].map(({ id }) => id)).size).toBe(7)
    })
  })
}
