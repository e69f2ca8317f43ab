/** Turns off work that Effect does for each use case and each failure, and that a serving process does not need. */
import { PetNotFound } from "@petstore/core"
import { GlobalValue } from "effect"
import { StacklessError } from "../http/stackless-error.js"

/** Effect's own name for the scope of the fibers that no other fiber started. */
const globalScope = Symbol.for("effect/FiberScope/Global")

/** The class of Effect that all failures extend, and that extends `Error`. */
const yieldableError = (of: object): object => {
  const parent: object = Object.getPrototypeOf(of)
  return parent === Error || parent === StacklessError ? of : yieldableError(parent)
}

/**
 * Removes the stacks of failures, which become responses: a fault of the service has a cause with its own stack. Does not keep
 * running fibers in a set, so `Fiber.roots`, for debuggers, is empty. It changes only this process.
 *
 * @returns a function that undoes it
 */
export const lightenEffects = (): (() => void) => {
  const base = yieldableError(PetNotFound)
  Object.setPrototypeOf(base, StacklessError)
  const scope = GlobalValue.globalValue<{ add?: unknown }>(globalScope, () => ({}))
  Object.assign(scope, { add: () => {} })
  return () => {
    Object.setPrototypeOf(base, Error)
    delete scope.add
  }
}
