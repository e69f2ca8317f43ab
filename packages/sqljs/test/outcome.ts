/** Represents a call's outcome as a value that tests can compare. */
import { inspect } from "node:util"

/** A call's result or error as text. */
export const outcome = (run: () => unknown): string => {
  try {
    return inspect(run(), { depth: 5 })
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    return `${thrown.name} ${inspect({ ...thrown, message: thrown.message })}`
  }
}

/** The value that a call throws or, if it does not throw, its result. */
export const errorOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (thrown) {
    return thrown
  }
}
