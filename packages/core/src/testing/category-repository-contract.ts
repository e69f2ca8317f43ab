import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Category } from "../categories/category.js"
import { CategoryRepository } from "../categories/category-repository.js"
import { maxInt64 } from "../json/int64.js"
import { byId } from "./pets.js"
import { atOnce, contractSuite } from "./promise.js"
import { expect } from "./runner.js"
import { unusualInt64s, unusualTexts } from "./unusual-values.js"

const everything = { after: Option.none(), limit: 10_000 }

const dogs: Category = { id: 7n, name: "Dogs" }
const hounds: Category = { id: 7n, name: "Hounds" }
const cats: Category = { id: 8n, name: "Cats" }

const insert = (category: Category) =>
  Effect.flatMap(CategoryRepository, (categories) => categories.replace(category, Option.none()))

/** Declares the contract suite for `CategoryRepository`. */
export const categoryRepositoryContract = contractSuite(CategoryRepository, (promise) => {
  const promiseToKeep = (what: string, given: Category) =>
    promise(`keeps ${what} exactly as given, and can remove the category`, function* ({ find, list, replace, remove }) {
      expect(yield* insert(given)).toBe(true)
      expect(yield* find(given.id)).toStrictEqual(Option.some(given))
      expect(yield* list(everything)).toStrictEqual([given])
      expect(yield* replace(given, Option.some(given))).toBe(true)
      expect(yield* remove(given)).toBe(true)
      expect(yield* list(everything)).toStrictEqual([])
    })

  for (const [what, name] of Object.entries(unusualTexts)) promiseToKeep(`a name ${what}`, { id: 1n, name })
  for (const id of unusualInt64s) promiseToKeep(`the identifier ${id}`, { id, name: "Dogs" })

  promise("finds no category for an identifier without a name", function* ({ find, list }) {
    yield* insert(dogs)
    expect(yield* find(cats.id)).toStrictEqual(Option.none())
    expect(yield* list({ ...everything, after: Option.some(dogs.id) })).toStrictEqual([])
  })

  promise("lets several categories have the same name", function* ({ list }) {
    const same = { ...cats, name: dogs.name }
    yield* insert(same)
    yield* insert(dogs)
    expect(yield* list(everything)).toStrictEqual([dogs, same])
  })

  promise("replaces the name of one category if the name has not changed since it was read", function* ({ replace, list }) {
    yield* insert(dogs)
    yield* insert(cats)
    expect(yield* replace(hounds, Option.some(dogs))).toBe(true)
    expect(yield* list(everything)).toStrictEqual([hounds, cats])
  })

  promise("changes nothing if the name differs from the name that was read", function* ({ replace, remove, list }) {
    yield* insert(dogs)
    expect(yield* replace(hounds, Option.none())).toBe(false)
    for (const name of ["dogs", "Dogs ", "Dog", "Dogs%", "Cats"]) {
      expect(yield* replace(hounds, Option.some({ ...dogs, name }))).toBe(false)
      expect(yield* remove({ ...dogs, name })).toBe(false)
    }
    expect(yield* list(everything)).toStrictEqual([dogs])
  })

  promise("changes nothing if the name was removed", function* ({ replace, remove, list }) {
    yield* insert(dogs)
    yield* remove(dogs)
    expect(yield* replace(hounds, Option.some(dogs))).toBe(false)
    expect(yield* remove(dogs)).toBe(false)
    expect(yield* list(everything)).toStrictEqual([])
  })

  promise("can name a category again after its name was removed", function* ({ remove, find }) {
    yield* insert(dogs)
    yield* remove(dogs)
    expect(yield* insert(hounds)).toBe(true)
    expect(yield* find(dogs.id)).toStrictEqual(Option.some(hounds))
  })

  promise("applies exactly one of several concurrent changes to a category", function* ({ replace, remove, find }) {
    const names = Array.from({ length: 10 }, (_, index): Category => ({ id: 7n, name: `Name ${index}` }))
    const first = yield* atOnce(names, insert)
    const [winner] = names.filter((_, index) => first[index])
    expect(first.filter((isKept) => isKept)).toStrictEqual([true])
    expect(yield* find(7n)).toStrictEqual(Option.fromNullable(winner))
    if (winner === undefined) return
    const others = yield* atOnce(names, (category) => replace({ ...category, name: `${category.name}!` }, Option.some(winner)))
    expect(others.filter((isKept) => isKept)).toStrictEqual([true])
    const left = Option.getOrThrow(yield* find(7n))
    expect((yield* atOnce(names, () => remove(left))).filter((isGone) => isGone)).toStrictEqual([true])
  })

  promise("lists categories by ascending identifier, after any identifier and up to the limit", function* ({ list }) {
    const all = unusualInt64s.map((id): Category => ({ id, name: `Name ${id}` }))
    yield* Effect.forEach(all, insert)
    const sorted = all.toSorted(byId)
    for (const limit of [1, 2, all.length, 101]) {
      expect(yield* list({ after: Option.none(), limit })).toStrictEqual(sorted.slice(0, limit))
      for (const after of [...unusualInt64s, 1n, maxInt64 - 2n]) {
        const expected = sorted.filter(({ id }) => id > after).slice(0, limit)
        expect(yield* list({ after: Option.some(after), limit })).toStrictEqual(expected)
      }
    }
  })
})
