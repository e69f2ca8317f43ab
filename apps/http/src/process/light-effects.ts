/** Turns off work that Effect does for each use case and failure, because a serving process does not need it. */
import { PetNotFound } from "@petstore/core"
import { GlobalValue } from "effect"
import { StacklessError } from "../http/stackless-error.js"

/** Effect's own name for the scope of fibers that no other fiber started. */
const globalScope = Symbol.for("effect/FiberScope/Global")

/** The Effect class that all failures extend, and that itself extends `Error`. */
const yieldableError = (of: object): object => {
  const parent: object = Object.getPrototypeOf(of)
  return parent === Error || parent === StacklessError ? of : yieldableError(parent)
}

/**
 * Removes the stacks of failures, because failures become responses: a fault of the service has a cause with its own stack. Also
 * stops Effect from keeping running fibers in a set, so `Fiber.roots`, which debuggers use, is empty. Only this process changes.
 *
 * @returns a function that undoes these changes
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
