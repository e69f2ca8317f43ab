/** A store observer sees every call to every port. */
import {
  DeploymentRepository,
  InventoryRepository,
  OrderRepository,
  PetFreshness,
  PetId,
  PetRepository,
  Readiness,
} from "@petstore/core"
import { type Repositories, storage } from "@petstore/storage"
import { Effect, Exit, Option, Stream } from "effect"
import { expect, it } from "vitest"
import { observeStore } from "../../src/telemetry/store-observer.js"

/** Runs work on an in-memory store, and returns what an observer saw and the work's result. */
const observing = <A, E>(work: Effect.Effect<A, E, Repositories>) => {
  const seen: Array<string> = []
  const observer = (call: string) => (exit: Exit.Exit<unknown, unknown>) =>
    void seen.push(`${call} ${Exit.isSuccess(exit) ? "succeeds" : "fails"}`)
  const layer = observeStore(storage({ adapter: "memory" }, { migrate: true }), [observer])
  const exit = Effect.runSyncExit(Effect.provide(work, layer))
  return { seen, exit }
}

it("a store observer sees members that are functions and members that are effects, in four ports", () => {
  const { seen, exit } = observing(
    Effect.gen(function* () {
      yield* (yield* PetRepository).insertAll(Stream.make([{ name: "Bello", categoryId: 1n }]))
      yield* (yield* InventoryRepository).recount
      yield* (yield* DeploymentRepository).claim("development")
      yield* (yield* Readiness).check
    }),
  )
  expect(exit).toStrictEqual(Exit.void)
  expect(seen).toStrictEqual([
    "pets.insertAll succeeds",
    "inventory.recount succeeds",
    "deployment.claim succeeds",
    "readiness.check succeeds",
  ])
})

it("a store observer sees a failure, which the caller also gets", () => {
  const { seen, exit } = observing(
    Effect.flatMap(OrderRepository, (orders) => orders.insert({ petId: PetId.make(7n) }, new Date(0))),
  )
  expect(Exit.isFailure(exit)).toBe(true)
  expect(seen).toStrictEqual(["orders.insert fails"])
})

it("an observed store keeps PetFreshness, which the page cache reads and the observer does not see", () => {
  const { seen, exit } = observing(Effect.map(Effect.serviceOptional(PetFreshness), ({ revision }) => revision()))
  expect(exit).toStrictEqual(Exit.succeed(Option.some({ insertions: 0, changes: 0 })))
  expect(seen).toStrictEqual([])
})
