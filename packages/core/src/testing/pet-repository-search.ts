import * as Effect from "effect/Effect"
import { maxInt64, minInt64 } from "../json/int64.js"
import { type Pet, type PetId, petStatuses, type ValidNewPet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import type { PetSearch } from "../pets/pet-search.js"
import { byCodePoint, keysFrom, searchKeyOf } from "../pets/search-key.js"
import { byId, insertEach, newPet, type PromiseOfPets } from "./pets.js"
import { describe, expect } from "./runner.js"

const categories = [1n, 2n, -(2n ** 53n) - 1n]

const mixed = (count: number): ReadonlyArray<ValidNewPet> =>
  Array.from({ length: count }, (_, index) =>
    newPet(`Pet ${index}`, { categoryId: categories[(index * 7) % 3], status: petStatuses[index % 4] }),
  )

/** Names with the same beginning, equal names, and names whose order by UTF-16 code units differs from that by code points. */
const names = [
  ...["Bello", "bella", "BELLO", "Bello II", "B\u00e9llo", "Be\u0301llo", "Be", "b"],
  ...["Ada", "\u00c9lan", "elan", "Zo\u00eb", "\u0130zmir"],
  ...["\u{1f436}", "\uffee", "\ud7ff", "\u{10ffff}", "\u{10ffff}x", "\u{10ffff}".repeat(64), "\u{10ffff}".repeat(1024)],
  ...["\u0301", "x".repeat(64), "x".repeat(65), `${"x".repeat(64)}a`, "'; --", "100%", "_ello", "a\u0001"],
]

const named: ReadonlyArray<ValidNewPet> = names.flatMap((name, place) =>
  Array.from({ length: 4 }, (_, index) =>
    newPet(name, { categoryId: categories[(place + index) % 3], status: petStatuses[index % 4] }),
  ),
)

const beginnings = [
  ...["b", "be", "bel", "bello", "bello ", "bello iii", "elan", "nothing"],
  ...["\u{10ffff}", "\uffee", "x".repeat(64), "x", "%", "_", "'"],
]

type Wanted = Pick<PetSearch, "id" | "status" | "categoryId" | "keys" | "order">

const passes =
  ({ id: ids, status, categoryId, keys }: Wanted) =>
  (pet: Pet): boolean =>
    (ids === undefined || ids.includes(pet.id)) &&
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (keys === undefined || searchKeyOf(pet.name).startsWith(keys.from))

const byKey = (one: Pet, other: Pet): number => byCodePoint(searchKeyOf(one.name), searchKeyOf(other.name)) || byId(one, other)

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

const expected = (all: ReadonlyArray<Pet>, wanted: Wanted): ReadonlyArray<Pet> => {
  const found = all.filter(passes(wanted)).toSorted(wanted.keys === undefined ? byId : byKey)
  return wanted.order === "desc" ? found.toReversed() : found
}

/** Combinations of filters that some of the pets match, and combinations that no pet matches. */
const combinations = (all: ReadonlyArray<Pet>): ReadonlyArray<Wanted> => {
  const some = all.filter((_, index) => index % 3 !== 1).map(({ id }) => id)
  const unknown: ReadonlyArray<PetId> = [minInt64, 0n, maxInt64]
  return [undefined, some, unknown].flatMap((ids) =>
    [undefined, "sold" as const].flatMap((status) =>
      [undefined, ...categories, 404n].flatMap((categoryId) =>
        (["asc", "desc"] as const).map((order) => ({
          order,
          ...(ids !== undefined && { id: [...ids, ...unknown].filter((id, index, every) => every.indexOf(id) === index) }),
          ...(status !== undefined && { status }),
          ...(categoryId !== undefined && { categoryId }),
        })),
      ),
    ),
  )
}

export const promisesOfSearch = (promise: PromiseOfPets): void => {
  describe("search", () => {
    promise("finds all pets that match any combination of identifiers, status and category, in either order", function* () {
      const all = yield* insertEach(mixed(30))
      for (const wanted of combinations(all)) {
        expect(yield* walk(wanted, 4)).toStrictEqual(expected(all, wanted))
        expect(yield* walk(wanted, 100)).toStrictEqual(expected(all, wanted))
      }
    })

    promise("finds pets by the beginning of their names and by every other filter, sorted by search key", function* () {
      const all = yield* insertEach(named)
      const ids = all.filter((_, index) => index % 5 !== 0).map(({ id }) => id)
      for (const beginning of beginnings) {
        const status = "sold"
        for (const more of [{}, { status }, { categoryId: 2n }, { status, categoryId: 2n }, { id: ids }] as const) {
          const wanted: Wanted = { keys: keysFrom(beginning), order: "asc", ...more }
          expect(yield* walk(wanted, 3)).toStrictEqual(expected(all, wanted))
          expect(yield* walk(wanted, 100)).toStrictEqual(expected(all, wanted))
        }
      }
    })

    promise("finds a pet by its new name, and no longer by its old one", function* (pets) {
      const [pet] = yield* insertEach([newPet("Bello")])
      const wanted: Wanted = { keys: keysFrom("bello"), order: "asc" }
      expect(yield* walk(wanted, 2)).toStrictEqual([pet])
      yield* pets.replace(pet, { ...pet, name: "Mia" })
      expect(yield* walk(wanted, 2)).toStrictEqual([])
      expect(yield* walk({ ...wanted, keys: keysFrom("mi") }, 2)).toStrictEqual([{ ...pet, name: "Mia" }])
      yield* pets.remove({ ...pet, name: "Mia" })
      expect(yield* walk({ ...wanted, keys: keysFrom("m") }, 2)).toStrictEqual([])
    })

    promise("returns each existing pet exactly once in a search by name, while more pets are added", function* () {
      const before = yield* insertEach(named)
      const ids = new Set(before.map(({ id }) => id))
      for (const beginning of ["b", "bello", "x"]) {
        const wanted: Wanted = { keys: keysFrom(beginning), order: "asc" }
        const seen = yield* walk(wanted, 5, insertEach([newPet("Bello"), newPet("Ab"), newPet("xx")]))
        expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(expected(before, wanted))
        expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
      }
    })

    promise("starts after any identifier, assigned or not", function* (pets) {
      const all = yield* insertEach(mixed(12))
      const places = [minInt64, -1n, ...all.flatMap(({ id }) => [id - 1n, id, id + 1n]), maxInt64 - 1n, maxInt64]
      for (const id of places) {
        for (const wanted of combinations(all).filter(({ id }) => id === undefined)) {
          const following = expected(all, wanted).filter((pet) => (wanted.order === "desc" ? pet.id < id : pet.id > id))
          const found = yield* pets.search({ ...wanted, after: { id }, limit: 3 })
          expect(found.pets).toStrictEqual(following.slice(0, 3))
        }
      }
    })

    promise("returns each existing pet exactly once, page by page, while more pets are added", function* () {
      const before = yield* insertEach(mixed(16))
      const ids = new Set(before.map(({ id }) => id))
      for (const wanted of combinations(before)) {
        const seen = yield* walk(wanted, 3, insertEach(mixed(2)))
        expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(expected(before, wanted))
        expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
      }
    })
  })
}
