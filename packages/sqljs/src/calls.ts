/**
 * Tracks the calls of this package that have begun and not returned.
 *
 * V8 can terminate JavaScript in the middle, as for Ctrl-C in the REPL or the `timeout` of `vm`: then neither `catch` nor
 * `finally` runs, and SQLite's memory may be inconsistent. So each call is counted before it begins. If a call finds more counted
 * calls than stack frames, one was abandoned, and its engine is given up.
 */
import { randomBytes } from "node:crypto"
import type { Callable } from "./options.js"

/** The name of the function below, by which it is found on the stack. */
const frame = `call of @petstore/sqljs ${randomBytes(8).toString("hex")}`

let begun = 0
let giveUp = (): void => undefined

/** Sets what to do after an abandoned call. */
export const onAbandoned = (what: () => void): void => {
  giveUp = what
}

/** The number of calls on the stack. It takes some microseconds, so only nested calls ask. */
const standing = (): number => {
  let count = begun
  // Then the limit cannot be raised, and the stack is unknown.
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
    // The calling frame is in it too, unless this runtime hides names.
    if (under >= 0 && under < begun) {
      // Only then: if this is terminated too, the next call repeats it.
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
export const asCall = <A>(work: () => A): A => call?.(work, undefined, []) as A // The result of `work`.

/** Calls back into the program, and detects whether a call within it was abandoned. */
export const callingBack = <A>(work: () => A): A => {
  const before = begun
  const answer = work()
  if (begun !== before) {
    giveUp()
    begun = before
  }
  return answer
}

/** Wraps each public method and getter of a prototype as a call. */
export const countCalls = (prototype: object, except: readonly PropertyKey[] = []): void => {
  for (const name of Reflect.ownKeys(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    if (descriptor === undefined || name === "constructor" || except.includes(name)) continue
    for (const kind of ["value", "get"] as const) {
      const method: unknown = descriptor[kind]
      if (typeof method !== "function") continue
      const counted = function (this: unknown, ...parameters: unknown[]) {
        return call?.(method as Callable, this, parameters) // Its type was read.
      }
      Object.defineProperty(counted, "name", { value: method.name, configurable: true })
      Object.defineProperty(counted, "length", { value: method.length, configurable: true })
      Object.defineProperty(prototype, name, { ...descriptor, [kind]: counted })
    }
  }
}
