/** New pets wait for the indexes of words and categories, and searches find them as they find all others. */
import { ChangeRepository, type Pet, PetId, PetRepository, type PetSearch, searchAmong } from "@petstore/core"
import { Random } from "@petstore/harness/random"
import { Effect, Option, Stream } from "effect"
import { expect } from "vitest"
import { otherConnection, storeIn, withFile } from "../sqlite-file.js"

/** How many pets wait, and how many are in each index. */
const countsIn = (path: string) =>
  Effect.scoped(
    Effect.map(otherConnection(path), (connection) => {
      const statement = connection.prepare(`SELECT (SELECT count(*) FROM pets WHERE waiting_words <> ''),
        (SELECT count(*) FROM pet_words_content),
        (SELECT count(*) FROM pets INDEXED BY pets_by_category WHERE waiting_words = '')`)
      return Object.values(statement.get() ?? {})
    }),
  )

const drawWord = (random: Random): string => random.pick(["ada", "bello", "coco", "dora"])

const drawPet = (random: Random) => ({
  name: `${drawWord(random)} ${drawWord(random)}`,
  categoryId: BigInt(random.integer(1, 5)),
  ...(random.chance(0.5) && { status: "available" as const }),
})

const drawSearch = (random: Random): PetSearch => ({
  order: random.pick(["asc", "desc"]),
  limit: random.integer(1, 100),
  ...(random.chance(0.5) && { categoryId: BigInt(random.integer(1, 6)) }),
  ...(random.chance(0.3) && { status: random.pick(["available" as const, null]) }),
  ...(random.chance(0.5) && { words: [drawWord(random).slice(0, 3)] }),
})

/** The pets on all pages of a search. */
const readAll = (search: PetSearch): Effect.Effect<ReadonlyArray<Pet>, unknown, PetRepository> =>
  Effect.gen(function* () {
    const { pets, next } = yield* (yield* PetRepository).search(search)
    expect(pets.length).toBeLessThanOrEqual(search.limit)
    return next === undefined ? pets : [...pets, ...(yield* readAll({ ...search, after: next }))]
  })

withFile("searches find pets before and after they enter the indexes, also corrected, removed and restored ones", (path) =>
  Effect.gen(function* () {
    const random = new Random(7)
    const { insert, insertAll, replace, remove, list } = yield* PetRepository
    const { restorePet } = yield* ChangeRepository
    const create = (count: number) =>
      Effect.forEach(Array.from({ length: count }), () => insert(drawPet(random)), { concurrency: "unbounded" })

    const compare = Effect.gen(function* () {
      const all = yield* list({ status: Option.none(), after: Option.none(), limit: 10_000 })
      for (let number = 0; number < 60; number += 1) {
        const search = drawSearch(random)
        expect(yield* readAll(search)).toStrictEqual(searchAmong(all, { ...search, limit: 10_000 }).pets)
      }
    })

    const changeSome = (pets: ReadonlyArray<Pet>) =>
      Effect.forEach(pets, (pet, place) =>
        place % 3 === 0 ? replace(pet, { ...pet, ...drawPet(random) }) : place % 3 === 1 ? remove(pet) : Effect.void,
      )

    const few = yield* create(300)
    expect(yield* countsIn(path)).toStrictEqual([300, 0, 0])
    yield* compare
    yield* create(300)
    expect(yield* countsIn(path)).toStrictEqual([0, 600, 600])
    const later = yield* create(200)
    yield* compare

    const changed = [...few.slice(0, 30), ...later.slice(-30)]
    yield* changeSome(changed)
    expect(yield* countsIn(path)).toStrictEqual([190, 590, 590])
    yield* compare
    yield* Effect.forEach(
      changed.filter((_, place) => place % 3 === 1),
      ({ id }) => restorePet(PetId.make(id)),
    )
    expect(yield* countsIn(path)).toStrictEqual([200, 600, 600])
    yield* compare

    yield* insertAll(Stream.make([drawPet(random), drawPet(random)]))
    expect(yield* countsIn(path)).toStrictEqual([0, 802, 802])
    yield* create(100)
    yield* compare
  }).pipe(Effect.provide(storeIn(path))),
)
