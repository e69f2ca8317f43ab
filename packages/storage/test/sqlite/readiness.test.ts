/** Tests how failed and delayed writes affect the readiness of a SQLite store. */
import { setImmediate as tick } from "node:timers/promises"
import { PetRepository, Readiness } from "@petstore/core"
import { Effect, type Layer, TestClock, TestContext } from "effect"
import { expect, it, onTestFinished, vi } from "vitest"
import { sqliteStorage } from "../../src/sqlite/storage.js"
import { failing, failsWith, newFile } from "../sqlite-file.js"

const readOnly = failsWith(8, "attempt to write a readonly database")

/** The store's readiness after each interval. */
const saidIn = (intervals: number) =>
  Effect.forEach(Array.from({ length: intervals }), () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("5 seconds")
      if (vi.isFakeTimers()) vi.advanceTimersByTime(5_000)
      // The write completes in a later tick.
      for (let turns = 0; turns < 5; turns += 1) yield* Effect.promise(() => tick())
      const { check } = yield* Readiness
      return yield* Effect.match(check, { onSuccess: () => "ready", onFailure: ({ message }) => message })
    }),
  )

const onStore = <A>(
  fault: () => Error | undefined,
  test: Effect.Effect<A, unknown, Layer.Layer.Success<ReturnType<typeof sqliteStorage>>>,
) =>
  Effect.gen(function* () {
    const path = yield* newFile
    return yield* Effect.provide(test, sqliteStorage(failing(fault), path, { migrate: true, hasReaders: true }))
  }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)

it("a store with three failed writes is not ready until a write succeeds, but still serves reads", async () => {
  let fault: Error | undefined
  await onStore(
    () => fault,
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const kept = yield* pets.insert({ name: "kept", categoryId: 1n })
      expect(yield* saidIn(2)).toStrictEqual(["ready", "ready"])
      fault = readOnly
      const reason = "The store cannot save writes: attempt to write a readonly database. Reads still work."
      expect(yield* saidIn(4)).toStrictEqual(["ready", "ready", reason, reason])
      expect(yield* pets.find(kept.id)).toMatchObject({ value: kept })
      fault = undefined
      expect(yield* saidIn(1)).toStrictEqual(["ready"])
    }),
  )
})

it("a store is not ready after three intervals with failed inserts, even if its small test write fits", async () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  onTestFinished(() => void vi.useRealTimers())
  let fault: Error | undefined
  await onStore(
    () => fault,
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const createInVain = Effect.gen(function* () {
        fault = failsWith(13, "database or disk is full")
        expect(yield* Effect.either(pets.insert({ name: "lost", categoryId: 1n }))).toMatchObject({ _tag: "Left" })
        fault = undefined
      })
      yield* createInVain
      expect(yield* saidIn(4)).toStrictEqual(Array(4).fill("ready"))
      const said = yield* Effect.forEach([1, 2, 3, 4], () => Effect.zipRight(createInVain, saidIn(1)))
      const reason = "The store cannot save writes: database or disk is full. Reads still work."
      expect(said.flat()).toStrictEqual(["ready", "ready", reason, reason])
      expect((yield* saidIn(2)).at(-1)).toBe("ready")
    }),
  )
})

it("a store stays ready while another program holds the lock", () =>
  onStore(
    () => failsWith(5, "database is locked"),
    Effect.gen(function* () {
      expect(yield* saidIn(5)).toStrictEqual(Array(5).fill("ready"))
    }),
  ))
