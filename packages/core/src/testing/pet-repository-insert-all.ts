import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type Pet, petStatuses, type ValidNewPet } from "../pets/pet.js"
import { byId, everything, insertEach, listed, newPet, numbered, type PromiseOfPets } from "./pets.js"
import { describe, expect } from "./runner.js"
import { unusualInt64s, unusualTexts } from "./unusual-values.js"

const withoutId = ({ id: _, ...given }: Pet): ValidNewPet => given

/** Pets whose names have 1024 code points each and together contain every allowed code point. */
const petsOfAllCodePoints = (): ReadonlyArray<ValidNewPet> =>
  Array.from({ length: 0x110000 / 1024 }, (_, block) =>
    String.fromCodePoint(...Array.from({ length: 1024 }, (_, index) => block * 1024 + index)).replace("\0", ""),
  )
    // Each block of 1024 consists entirely of surrogates, or of none.
    .filter((name) => name.isWellFormed())
    .map((name) => newPet(name))

const failing = [
  ["fails", Stream.fail("the file ended early")],
  ["dies", Stream.die("a bug")],
] as const

export const promisesOfInsertAll = (promise: PromiseOfPets): void => {
  describe("insertAll", () => {
    const promiseToKeep = (what: string, makePets: () => ReadonlyArray<ValidNewPet>, size: number) =>
      promise(`stores ${what}, and returns the number of pets`, function* (pets) {
        const given = makePets()
        const batches = Stream.fromIterable(given).pipe(Stream.grouped(size), Stream.map(Chunk.toReadonlyArray))
        expect(yield* pets.insertAll(batches)).toBe(given.length)
        expect((yield* listed()).map(withoutId)).toStrictEqual(given)
      })

    promiseToKeep("the pets of all batches in the order of the stream", () => numbered(1234), 100)
    promiseToKeep("every code point", petsOfAllCodePoints, 300)

    promise("stores names, categories and statuses exactly as given, in any batch", function* (pets) {
      const given = [
        ...Object.values(unusualTexts).map((name) => newPet(name)),
        ...unusualInt64s.map((categoryId) => newPet("Bello", { categoryId })),
        ...petStatuses.map((status) => newPet("Bello", { status })),
        newPet("Bello"),
      ]
      // One batch for each pet, then one batch with all the pets.
      yield* pets.insertAll(Stream.fromIterable([...given.map((pet) => [pet]), given]))
      expect((yield* listed()).map(withoutId)).toStrictEqual([...given, ...given])
    })

    promise("stores several streams, one after the other", function* (pets) {
      for (const _ of [1, 2, 3]) expect(yield* pets.insertAll(Stream.make(numbered(2), numbered(3), numbered(4)))).toBe(9)
      expect(yield* listed()).toHaveLength(27)
    })

    promise("accepts an empty stream, and empty batches", function* (pets) {
      expect(yield* pets.insertAll(Stream.empty)).toBe(0)
      expect(yield* pets.insertAll(Stream.make([], numbered(2), [], []))).toBe(2)
      expect(yield* listed()).toHaveLength(2)
    })

    promise("assigns identifiers that no other pet has or had", function* (pets) {
      yield* insertEach(numbered(3))
      yield* pets.insertAll(Stream.make(numbered(3), numbered(3)))
      yield* insertEach(numbered(3))
      const all = yield* listed()
      expect(all).toHaveLength(12)
      expect(new Set(all.map(({ id }) => id)).size).toBe(12)
    })

    for (const [how, end] of failing) {
      promise(`stores no pet from a stream that ${how} after some batches, and keeps the pets stored earlier`, function* (pets) {
        const before = yield* insertEach(numbered(3))
        const batches = Stream.concat(Stream.make(numbered(10), numbered(10)), end)
        const exit = yield* Effect.exit(pets.insertAll(batches))
        expect(exit).toStrictEqual(yield* Effect.exit(Stream.runDrain(end)))
        expect(yield* listed()).toStrictEqual(before.toSorted(byId))
        const after = yield* insertEach(numbered(2))
        expect(yield* listed()).toStrictEqual([...before, ...after].toSorted(byId))
      })
    }

    promise("stores no pet from an interrupted stream, and accepts the next stream", function* (pets) {
      const halfway = yield* Deferred.make<void>()
      const rest = Stream.fromEffect(Effect.zipRight(Deferred.succeed(halfway, undefined), Effect.never))
      const fiber = yield* Effect.fork(pets.insertAll(Stream.concat(Stream.make(numbered(10), numbered(10)), rest)))
      // If `insertAll` fails early, the test fails with its error.
      yield* Effect.raceFirst(Deferred.await(halfway), Fiber.join(fiber))
      yield* Fiber.interrupt(fiber)
      expect(yield* listed()).toStrictEqual([])
      const after = yield* insertEach(numbered(2))
      expect(yield* listed()).toStrictEqual(after.toSorted(byId))
    })

    promise("shows no pet from a stream before the entire stream is stored", function* (pets) {
      const before = yield* insertEach(numbered(3))
      const seen: Array<ReadonlyArray<Pet>> = []
      const look = pets.list(everything).pipe(
        Effect.map((found) => seen.push(found)),
        // The store may refuse readers while the stream runs, but its results must be correct.
        Effect.ignore,
        Effect.as([]),
      )
      expect(yield* pets.insertAll(Stream.concat(Stream.make(numbered(10)), Stream.fromEffect(look)))).toBe(10)
      expect(seen).toStrictEqual(seen.map(() => before.toSorted(byId)))
      expect(yield* listed()).toHaveLength(13)
    })

    promise("keeps a pet whose insertion was acknowledged before a running stream failed", function* (pets) {
      const start = yield* Deferred.make<void>()
      // The store may refuse this insert or make it wait, so the stream does not wait for the insert.
      const meanwhile = yield* Effect.fork(
        Effect.zipRight(Deferred.await(start), Effect.option(pets.insert(newPet("Meanwhile")))),
      )
      const opening = Stream.fromEffect(Effect.as(Effect.zipRight(Deferred.succeed(start, undefined), Effect.sleep(50)), []))
      const rest = Stream.concat(opening, Stream.fail("the file ended early"))
      yield* Effect.exit(pets.insertAll(Stream.concat(Stream.make(numbered(10)), rest)))
      // If `insertAll` did not read the stream, the insert still waits.
      yield* Deferred.succeed(start, undefined)
      const acknowledged = yield* Fiber.join(meanwhile)
      const kept = yield* listed()
      if (acknowledged._tag === "Some") expect(kept).toStrictEqual([{ ...newPet("Meanwhile"), id: acknowledged.value.id }])
      // A failed write may have happened, but at most once.
      else expect(kept.map(withoutId)).toStrictEqual(kept.length === 0 ? [] : [newPet("Meanwhile")])
    })
  })
}
