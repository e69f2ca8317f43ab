/** Tests the category use cases during concurrent changes. The contract suite tests the stores. */
import { Effect, Either, Option, Stream } from "effect"
import { expect, it } from "vitest"
import {
  type Category,
  CategoryNotFound,
  CategoryRepository,
  type Condition,
  listCategories,
  type NewCategory,
  PreconditionFailed,
  removeCategory,
  replaceCategory,
  streamCategories,
} from "../src/index.js"

const dogs: Category = { id: 7n, name: "Dogs" }

/** A store with at most one category. Another caller makes one of the changes `next` after each of the first reads. */
const changing = (present: Category | undefined, ...next: ReadonlyArray<Category | undefined>) => {
  const left = [...next]
  let now = present
  const is = (former: Category | undefined) => now?.name === former?.name
  const repository = CategoryRepository.of({
    find: () =>
      Effect.sync(() => {
        const found = Option.fromNullable(now)
        if (left.length > 0) now = left.shift()
        return found
      }),
    replace: (category, former) =>
      Effect.sync(() => {
        const replaces = is(Option.getOrUndefined(former))
        if (replaces) now = category
        return replaces
      }),
    remove: (former) =>
      Effect.sync(() => {
        const removes = is(former)
        if (removes) now = undefined
        return removes
      }),
    list: () => Effect.succeed([]),
  })
  const run = <A, E>(useCase: Effect.Effect<A, E, CategoryRepository>) =>
    Effect.runSync(Effect.either(Effect.provideService(useCase, CategoryRepository, repository)))
  return { run, now: () => now }
}

const isDogs: Condition<Category> = (present) => Option.exists(present, ({ name }) => name === "Dogs")
const isAbsent: Condition<Category> = Option.isNone

it("replaceCategory replaces the latest value, and returns whether the category is new", () => {
  const appears = changing(undefined, dogs)
  const hounds = { id: 7n, name: "Hounds" }
  expect(appears.run(replaceCategory(7n, hounds))).toStrictEqual(Either.right({ value: hounds, isNew: false }))
  const vanishes = changing(dogs, undefined)
  expect(vanishes.run(replaceCategory(7n, hounds))).toStrictEqual(Either.right({ value: hounds, isNew: true }))
  expect(vanishes.now()).toStrictEqual(hounds)
})

it("replaceCategory and removeCategory check the condition after each read", () => {
  const renamed = changing(dogs, { id: 7n, name: "Cats" })
  expect(renamed.run(replaceCategory(7n, { name: "Hounds" }, isDogs))).toStrictEqual(Either.left(new PreconditionFailed()))
  expect(renamed.now()?.name).toBe("Cats")
  const appears = changing(undefined, dogs)
  expect(appears.run(replaceCategory(7n, { name: "Hounds" }, isAbsent))).toStrictEqual(Either.left(new PreconditionFailed()))
  expect(appears.now()).toStrictEqual(dogs)
  const other = changing(dogs, { id: 7n, name: "Cats" })
  expect(other.run(removeCategory(7n, isDogs))).toStrictEqual(Either.left(new PreconditionFailed()))
  expect(other.now()?.name).toBe("Cats")
})

it("removeCategory fails with CategoryNotFound if another caller removed the category, whatever the condition", () => {
  const vanishes = changing(dogs, undefined)
  expect(vanishes.run(removeCategory(7n))).toStrictEqual(Either.left(new CategoryNotFound({ categoryId: 7n })))
  expect(vanishes.run(removeCategory(7n, isAbsent))).toStrictEqual(Either.left(new CategoryNotFound({ categoryId: 7n })))
})

it("replaceCategory and removeCategory find no category with an identifier of more than 64 bits", () => {
  const { run } = changing(dogs)
  const categoryId = 2n ** 63n
  const refused = Either.left(new CategoryNotFound({ categoryId }))
  expect(run(replaceCategory(categoryId, dogs))).toStrictEqual(refused)
  expect(run(removeCategory(categoryId))).toStrictEqual(refused)
})

it("replaceCategory and removeCategory give up, and explain why, if the category changes before every attempt", () => {
  const { run } = changing(dogs, ...Array.from({ length: 1_000 }, (_, n) => ({ id: 7n, name: `Dogs ${n}` })))
  for (const outcome of [run(replaceCategory(7n, { name: "Hounds" })), run(removeCategory(7n))]) {
    expect(outcome).toMatchObject({
      left: { _tag: "StorageUnavailable", reason: expect.stringContaining("kept changing the resource") },
    })
  }
})

it("replaceCategory and listCategories refuse invalid arguments from programs", () => {
  const { run, now } = changing(dogs)
  for (const given of [{ name: " " }, { name: "\ud800" }, {}, undefined, { name: 7 }]) {
    expect(run(replaceCategory(7n, given as NewCategory))).toMatchObject({ left: { _tag: "InvalidBody" } })
  }
  expect(now()).toStrictEqual(dogs)
  for (const limit of [0, -1, 101, 1.5]) {
    const request = { limit, status: Option.none(), after: Option.none() }
    expect(run(listCategories(request))).toMatchObject({ left: { _tag: "InvalidParameter", parameter: "limit" } })
  }
  expect(run(listCategories())).toMatchObject({ right: { items: [] } })
  expect(run(Stream.runCount(streamCategories))).toMatchObject({ right: 0 })
})
