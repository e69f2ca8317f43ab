import { StorageUnavailable } from "@petstore/core"
import { Effect, Either, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { watchWrites } from "../src/write-probe.js"

const fails = new StorageUnavailable({ cause: "read-only" })

/** The check's result after each write. */
const saidAfter = (...writes: ReadonlyArray<Effect.Effect<void, StorageUnavailable>>): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    let next = 0
    const said: Array<string> = []
    const check = yield* watchWrites(Effect.suspend(() => writes[next++] ?? Effect.never))
    for (const _ of writes) {
      yield* TestClock.adjust("5 seconds")
      said.push(Either.match(yield* Effect.either(check), { onLeft: ({ cause }) => String(cause), onRight: () => "writes" }))
    }
    return said
  }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)

it("a write probe reports a store as not writable after three consecutive failures, until a write succeeds", async () => {
  const said = await saidAfter(fails, fails, Effect.void, fails, fails, fails, fails, Effect.void)
  expect(said).toStrictEqual(["writes", "writes", "writes", "writes", "writes", "read-only", "read-only", "writes"])
})

it("a write probe counts a defect as a failure", async () => {
  const dies = Effect.die("no such table")
  expect(await saidAfter(dies, dies, dies)).toStrictEqual(["writes", "writes", "no such table"])
})

it("a write probe does not count a waiting write as a failure", async () => {
  expect(await saidAfter(fails, fails, Effect.never, Effect.void, Effect.void)).toStrictEqual(Array(5).fill("writes"))
})
