/** Features of Effect that a serving process turns off. If a test fails, Effect has changed its failures or fibers. */
import { PetNotFound } from "@petstore/core"
import { Effect, Fiber } from "effect"
import { afterEach, expect, it } from "vitest"
import { httpError } from "../../src/http/error-response.js"
import { lightenEffects } from "../../src/process/light-effects.js"

let undo = () => {}
afterEach(() => undo())

const linesOf = ({ stack = "" }: Error): number => stack.split("\n").length

/** The number of fibers that Effect tracks while this function runs one. */
const rootsBeside = async (): Promise<number> => {
  const fiber = Effect.runFork(Effect.never)
  const { length } = [...(await Effect.runPromise(Fiber.roots))]
  await Effect.runPromise(Fiber.interrupt(fiber))
  return length
}

it("Effect records stacks and running fibers before lightenEffects runs, and after it is undone", async () => {
  for (const prepare of [() => {}, () => lightenEffects()()]) {
    prepare()
    expect(linesOf(new PetNotFound({ petId: "x" }))).toBeGreaterThan(1)
    expect(await rootsBeside()).toBeGreaterThan(0)
  }
})

it("lightenEffects removes the stacks of failures, but not of defects", () => {
  undo = lightenEffects()
  const failure = new PetNotFound({ petId: "x" })
  expect([linesOf(failure), failure.message, failure instanceof PetNotFound]).toEqual([1, 'No pet has the identifier "x".', true])
  expect(linesOf(new TypeError("a defect"))).toBeGreaterThan(1)
  expect(linesOf(httpError("route_not_found", "Nothing."))).toBe(1)
})

it("Effect does not track running fibers after lightenEffects has run", async () => {
  undo = lightenEffects()
  expect(await rootsBeside()).toBe(0)
})
