import * as Data from "effect/Data"
import * as Inspectable from "effect/Inspectable"

/** The base class of failures. `toJSON` gives the message, 64-bit identifiers as decimal text, and `cause` as one string. */
export const failure: typeof Data.TaggedError = (tag) => {
  const Base = Data.TaggedError(tag)
  Object.assign(Base.prototype, { toJSON })
  return Base
}

function toJSON(this: Error): unknown {
  const members = Object.entries({ ...this, message: this.message, ...("cause" in this && { cause: textOf(this.cause) }) })
  return Object.fromEntries(members.map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]))
}

/** A cause may be an error thrown by a driver, with members that JSON cannot represent. */
const textOf = (cause: unknown): string => Inspectable.toStringUnknown(cause instanceof Error ? String(cause) : cause)
