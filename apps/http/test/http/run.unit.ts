import { Effect, FiberRefs, HashSet, Layer, Logger, ManagedRuntime } from "effect"
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
