import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { maxInt64, minInt64 } from "../json/int64.js"
import { beginningsOf } from "../pets/name-words.js"
import { type Pet, type PetId, petStatuses, type ValidNewPet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import type { PetSearch } from "../pets/pet-search.js"
import { newClaim } from "./insert-once-promises.js"
import { nameCases } from "./names.js"
import { byId, insertEach, newPet, type PromiseOfPets } from "./pets.js"
import { describe, expect } from "./runner.js"

const categories = [1n, 2n, -(2n ** 53n) - 1n]

const mixed = (count: number): ReadonlyArray<ValidNewPet> =>
  Array.from({ length: count }, (_, index) =>
    newPet(`Pet ${["alpha", "beta", "Alpha beta"][index % 3]}`, {
      categoryId: categories[(index * 7) % 3],
      status: petStatuses[index % 4],
    }),
  )

type Wanted = Pick<PetSearch, "id" | "status" | "categoryId" | "words" | "order">

/** Decides for names of plain words only. */
const hasWord =
  (name: string) =>
  (word: string): boolean =>
    ` ${name.toLowerCase()}`.includes(` ${word}`)

const passes =
  ({ id: ids, status, categoryId, words }: Wanted) =>
  (pet: Pet): boolean =>
    (ids === undefined || ids.includes(pet.id)) &&
    (status === undefined || (pet.status ?? null) === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (words === undefined || words.every(hasWord(pet.name)))

/** Follows a search to its end, as a caller does. `between` runs after each page. */
const walk = (wanted: Wanted, limit: number, between: Effect.Effect<unknown, unknown, PetRepository> = Effect.void) =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const seen: Array<Pet> = []
    let after: PetSearch["after"]
    for (let pages = 0; pages < 200; pages += 1) {
      const found = yield* pets.search({ ...wanted, limit, ...(after !== undefined && { after }) })
      expect(found.pets.length).toBeLessThanOrEqual(limit)
      seen.push(...found.pets)
      yield* between
      if (found.next === undefined) return seen
      after = found.next
    }
    throw new Error("The search did not end after 200 pages")
  })

const finding = (text: string) => walk({ words: beginningsOf(text), order: "asc" }, 100)

const expected = (all: ReadonlyArray<Pet>, wanted: Wanted): ReadonlyArray<Pet> => {
  const found = all.filter(passes(wanted)).toSorted(byId)
  return wanted.order === "desc" ? found.toReversed() : found
}

/** Combinations of filters that some of the pets match, and combinations that no pet matches. */
const combinations = (all: ReadonlyArray<Pet>): ReadonlyArray<Wanted> => {
  const some = all.filter((_, index) => index % 3 !== 1).map(({ id }) => id)
  const unknown: ReadonlyArray<PetId> = [minInt64, 0n, maxInt64]
  return [undefined, some, unknown].flatMap((ids) =>
    [undefined, "sold" as const, null].flatMap((status) =>
      [undefined, 2n, 404n].flatMap((categoryId) =>
        [undefined, ["pet"], ["alp", "be"]].flatMap((words) =>
          (["asc", "desc"] as const).map((order) => ({
            order,
            ...(ids !== undefined && { id: [...ids, ...unknown].filter((id, index, every) => every.indexOf(id) === index) }),
            ...(status !== undefined && { status }),
            ...(categoryId !== undefined && { categoryId }),
            ...(words !== undefined && { words }),
          })),
        ),
      ),
    ),
  )
}

export const promisesOfSearch = (promise: PromiseOfPets): void => {
  describe("search", () => {
    promise(
      "finds all pets that match any combination of identifiers, status, category and words, in either order",
      function* () {
        const all = yield* insertEach(mixed(30))
        for (const wanted of combinations(all)) {
          expect(yield* walk(wanted, 4)).toStrictEqual(expected(all, wanted))
          expect(yield* walk(wanted, 100)).toStrictEqual(expected(all, wanted))
        }
      },
    )

    promise("finds names in many scripts by the beginnings of their words, and by no other text", function* () {
      const all = yield* insertEach(nameCases.map(({ name }) => newPet(name)))
      const isFound = (text: string, id: PetId | undefined) =>
        Effect.map(finding(text), (found) => [text, found.some((pet) => pet.id === id)])
      for (const [index, { finds, misses }] of nameCases.entries()) {
        const id = all[index]?.id
        expect(yield* Effect.forEach(finds, (text) => isFound(text, id))).toStrictEqual(finds.map((text) => [text, true]))
        expect(yield* Effect.forEach(misses, (text) => isFound(text, id))).toStrictEqual(misses.map((text) => [text, false]))
      }
    })

    promise("finds pets by words that a database could mistake for its own language", function* () {
      const [pet] = yield* insertEach(["or and not near", "a", "\u{1f436}", "'; --"].map((name) => newPet(name)))
      for (const text of ["or", "AND", "not near", "near or"]) expect(yield* finding(text)).toStrictEqual([pet])
    })

    promise("finds a pet by its new name, and no longer by its old one", function* (pets) {
      const [pet] = yield* insertEach([newPet("Bello the first")])
      const [renamed, corrected] = [
        { ...pet, name: "Mia the first" },
        { ...pet, name: "Mia the second" },
      ]
      expect(yield* finding("fir bello")).toStrictEqual([pet])
      yield* pets.replace(pet, renamed)
      expect(yield* finding("bello")).toStrictEqual([])
      expect(yield* finding("mia")).toStrictEqual([renamed])
      yield* pets.correctAll([[pet.id, { name: corrected.name }]])
      expect(yield* finding("first")).toStrictEqual([])
      expect(yield* finding("sec")).toStrictEqual([corrected])
      yield* pets.correctAll([[pet.id, { categoryId: 99n }]])
      expect(yield* finding("sec")).toStrictEqual([{ ...corrected, categoryId: 99n }])
      yield* pets.remove({ ...corrected, categoryId: 99n })
      expect(yield* finding("m")).toStrictEqual([])
    })

    promise("finds a pet that was added once, or together with others, as soon as it is stored", function* (pets) {
      const once = yield* pets.insertOnce(newPet("Only once"), newClaim())
      expect(yield* finding("once")).toStrictEqual([once.value])
      const many = Array.from({ length: 120 }, (_, index) => newPet(`Import ${index}`))
      yield* pets.insertAll(Stream.make(many.slice(0, 70), many.slice(70)))
      expect((yield* finding("import")).map(({ name }) => name)).toStrictEqual(many.map(({ name }) => name))
      expect((yield* finding("import 11")).map(({ name }) => name)).toStrictEqual(
        [11, ...Array.from({ length: 10 }, (_, index) => 110 + index)].map((index) => `Import ${index}`),
      )
    })

    promise("returns each existing pet exactly once in a search by words, while more pets are added", function* () {
      const before = yield* insertEach(mixed(20))
      const ids = new Set(before.map(({ id }) => id))
      for (const words of [["pet"], ["alpha"], ["alpha", "beta"]]) {
        for (const order of ["asc", "desc"] as const) {
          const wanted: Wanted = { words, order }
          const seen = yield* walk(wanted, 5, insertEach([newPet("Pet beta alpha"), newPet("Ab")]))
          expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(expected(before, wanted))
          expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
        }
      }
    })

    promise("starts after any identifier, assigned or not", function* (pets) {
      const all = yield* insertEach(mixed(12))
      const some = all.filter((_, index) => index % 4 === 1)
      const places = [minInt64, -1n, ...some.flatMap(({ id }) => [id - 1n, id, id + 1n]), maxInt64 - 1n, maxInt64]
      for (const after of places) {
        for (const wanted of combinations(all).filter(({ id }) => id === undefined)) {
          const following = expected(all, wanted).filter(({ id }) => (wanted.order === "desc" ? id < after : id > after))
          const found = yield* pets.search({ ...wanted, after, limit: 3 })
          expect(found.pets).toStrictEqual(following.slice(0, 3))
        }
      }
    })

    promise("returns each existing pet exactly once, page by page, while more pets are added", function* () {
      const before = yield* insertEach(mixed(16))
      const ids = new Set(before.map(({ id }) => id))
      for (const wanted of combinations(before).filter(({ words }) => words === undefined)) {
        const seen = yield* walk(wanted, 3, insertEach(mixed(2)))
        expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(expected(before, wanted))
        expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
      }
    })
  })
}
