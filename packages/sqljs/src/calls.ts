/**
 * Which calls of this package have begun and not returned.
 *
 * V8 can end JavaScript in the middle, as for Ctrl-C in its REPL or the `timeout` of `vm`: then neither `catch` nor
 * `finally` runs, and SQLite's memory may be half changed. So each call is counted before it begins. A call that finds
 * more counted than stand on the stack under it knows that one was abandoned, and what it left is given up.
 */
import { randomBytes } from "node:crypto"
import type { Callable } from "./options.js"

/** The name of the function below, by which it is found on the stack. */
const frame = `call of @petstore/sqljs ${randomBytes(8).toString("hex")}`

let begun = 0
let giveUp = (): void => undefined

/** Says what to do when a call was abandoned. */
export const onAbandoned = (what: () => void): void => {
  giveUp = what
}

/** How many calls stand on the stack. It takes some microseconds, so only calls within calls ask. */
const standing = (): number => {
  let count = begun
  // Then the limit cannot be raised, and what stands on the stack cannot be told.
  if (Object.isFrozen(Error)) return count
  const { stackTraceLimit, prepareStackTrace } = Error
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY
    Error.prepareStackTrace = (_, sites) => {
      count = sites.filter((site) => site.getFunctionName() === frame).length
    }
    void new Error("Where am I?").stack
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    Error.prepareStackTrace = prepareStackTrace
  }
  return count
}

const begin = (): void => {
  if (begun > 0) {
    const under = standing() - 1
    // The call that asks stands there too, or else this runtime does not tell the names.
    if (under >= 0 && under < begun) {
      // Only then: what is ended in the middle too is done again by the next call.
      giveUp()
      begun = under
    }
  }
  begun++
}

/** Calls `method` as one call. Its name is looked for on the stack. */
const { [frame]: call } = {
  [frame]: (method: Callable, self: unknown, parameters: ArrayLike<unknown>): unknown => {
    begin()
    try {
      return Reflect.apply(method, self, parameters)
    } finally {
      begun--
    }
  },
}

/** Runs `work` as one call. */
export const asCall = <A>(work: () => A): A => call?.(work, undefined, []) as A // What `work` answers.

/** Calls back into the program, and notices if it came back although a call within it did not. */
export const callingBack = <A>(work: () => A): A => {
  const before = begun
  const answer = work()
  if (begun !== before) {
    giveUp()
    begun = before
  }
  return answer
}

/** Makes each method and getter of a prototype that programs call one call. */
export const countCalls = (prototype: object, except: readonly PropertyKey[] = []): void => {
  for (const name of Reflect.ownKeys(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    if (descriptor === undefined || name === "constructor" || except.includes(name)) continue
    for (const kind of ["value", "get"] as const) {
      const method: unknown = descriptor[kind]
      if (typeof method !== "function") continue
      const counted = function (this: unknown, ...parameters: unknown[]) {
        return call?.(method as Callable, this, parameters) // It was asked for its type.
      }
      Object.defineProperty(counted, "name", { value: method.name, configurable: true })
      Object.defineProperty(counted, "length", { value: method.length, configurable: true })
      Object.defineProperty(prototype, name, { ...descriptor, [kind]: counted })
    }
  }
}
