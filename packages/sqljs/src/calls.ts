/**
 * Tracks the calls into this package that have not returned. V8 can terminate JavaScript in the middle, for example after
 * Ctrl-C in the REPL or because of the `timeout` of `vm`. Then neither `catch` nor `finally` runs, and SQLite's memory may be
 * inconsistent. Every call is therefore counted before it starts. If a call finds more counted calls than stack frames, an
 * earlier call was abandoned, and its engine must not be used again.
 */
import { randomBytes } from "node:crypto"
import type { Callable } from "./options.js"

const frame = `call of @petstore/sqljs ${randomBytes(8).toString("hex")}`

let begun = 0
let giveUp = (): void => undefined

export const onAbandoned = (what: () => void): void => {
  giveUp = what
}

/** The number of calls on the stack. Counting takes a few microseconds, so only nested calls do it. */
const standing = (): number => {
  let count = begun
  // The stack trace limit of a frozen Error cannot be raised, so the stack is unknown.
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
    // The trace includes the calling frame, unless the runtime hides names.
    if (under >= 0 && under < begun) {
      // `begun` is set last: if V8 terminates this call too, the next call runs `giveUp` again.
      giveUp()
      begun = under
    }
  }
  begun++
}

/** Runs `method` as one call. The function has a unique name, so that it can be found on the stack. */
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

export const asCall = <A>(work: () => A): A => call?.(work, undefined, []) as A // Safe: this is the result of `work`.

/** Calls back into the program, and detects whether a call inside the callback was abandoned. */
export const callingBack = <A>(work: () => A): A => {
  const before = begun
  const answer = work()
  if (begun !== before) {
    giveUp()
    begun = before
  }
  return answer
}

/** Wraps every method and getter of a prototype as a call, except the constructor and those in `except`. */
export const countCalls = (prototype: object, except: readonly PropertyKey[] = []): void => {
  for (const name of Reflect.ownKeys(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    if (descriptor === undefined || name === "constructor" || except.includes(name)) continue
    for (const kind of ["value", "get"] as const) {
      const method: unknown = descriptor[kind]
      if (typeof method !== "function") continue
      const counted = function (this: unknown, ...parameters: unknown[]) {
        return call?.(method as Callable, this, parameters) // Safe: its type was checked.
      }
      Object.defineProperty(counted, "name", { value: method.name, configurable: true })
      Object.defineProperty(counted, "length", { value: method.length, configurable: true })
      Object.defineProperty(prototype, name, { ...descriptor, [kind]: counted })
    }
  }
}
