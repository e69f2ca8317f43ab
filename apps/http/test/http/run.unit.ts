import { PetNotFound } from "@petstore/core"
import { Awaited } from "@petstore/core/internal"
import { Effect, Exit, FiberRefs, HashSet, Layer, Logger, ManagedRuntime } from "effect"
import { expect, it } from "vitest"
import { runWith } from "../../src/http/run.js"

it("runWith runs a use case with the logger that the service's layers set", async () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => void logged.push(message))
  const runtime = ManagedRuntime.make(Logger.replace(Logger.defaultLogger, logger))
  const run = runWith(await runtime.runtime())
  run(Effect.log("one"))
  await run(Effect.zipRight(Effect.yieldNow(), Effect.log("two")))
  expect(logged).toEqual([["one"], ["two"]])
  await runtime.dispose()
})

it("runWith gives each use case only its context, scheduler and flags by default", async () => {
  const run = runWith(await ManagedRuntime.make(Layer.empty).runtime())
  const refs = FiberRefs.fiberRefs(await run(Effect.getFiberRefs))
  expect(HashSet.size(refs)).toBe(3)
})

it("runWith passes on the exit for which an effect only waits: its value, its failure or its defect", async () => {
  const run = runWith(await ManagedRuntime.make(Layer.empty).runtime())
  const later = <A, E = never>(exit: Exit.Exit<A, E>) => new Awaited<A, E>((done) => void setImmediate(done, exit))
  expect(await run(later(Exit.succeed(7)))).toBe(7)
  expect(await run(Effect.map(later(Exit.succeed(7)), (value) => value + 1))).toBe(8)
  await expect(run(later(Exit.fail(new PetNotFound({ petId: 7n }))))).rejects.toMatchObject({ object: { code: "pet_not_found" } })
  await expect(run(later(Exit.die(new Error("a defect"))))).rejects.toThrow("a defect")
})
