/** What Effect does for each use case and each failure, and a process that serves does not need. */
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
 * Takes the stacks from failures, which are answers: one that is the fault of the service has a cause with a stack of its
 * own. Keeps running fibers in no set: `Fiber.roots`, which a debugger asks, is empty. It changes this process alone.
 *
 * @returns what undoes it
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
