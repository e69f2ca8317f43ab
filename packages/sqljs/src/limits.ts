import type { Connection } from "./connection.js"
import { invalidArgumentType, outOfRange } from "./errors.js"
import { isInt32, type Options, requireInt32 } from "./options.js"
import { database as fields } from "./structures.js"

/** The largest values and defaults, in the order of the SQLITE_LIMIT numbers. All except `likePatternLength` are this build's. */
const largest = {
  length: 1_000_000_000,
  sqlLength: 1_000_000_000,
  column: 2000,
  exprDepth: 1000,
  compoundSelect: 500,
  vdbeOp: 250_000_000,
  functionArg: 1000,
  attach: 10,
  /** SQLite recurses once for every two bytes of a pattern. The reserved stack has room for 6000 bytes. */
  likePatternLength: 4000,
  variableNumber: 32_766,
  triggerDepth: 1000,
}
const limits = Object.entries(largest)

/** The largest sizes that a connection accepts. */
export interface DatabaseLimits extends Record<keyof typeof largest, number> {}

/** `SQLITE_MIN_LENGTH`: SQLite accepts no smaller limit on string length. */
const shortestLength = 30

const setLimit = ({ engine, handle }: Connection, id: number, value: number): void => {
  const [, most = value] = limits[id] ?? []
  engine.memory.setInt(handle + fields.limits + id * 4, Math.max(id === 0 ? shortestLength : 0, Math.min(value, most)))
}

/** Every limit, in order, from the `limits` option. Throws ERR_INVALID_ARG_TYPE or ERR_OUT_OF_RANGE for an invalid limit. */
export const readLimits = (given: Options): readonly number[] =>
  limits.map(([name, most]) => {
    const { [name]: value = most } = given
    const limit = requireInt32(value, `options.limits.${name}`)
    if (limit < 0) throw outOfRange(`The "options.limits.${name}" argument must be non-negative.`)
    return limit
  })

export const applyLimits = (connection: Connection, values: readonly number[]): void => {
  for (const [id, value] of values.entries()) setLimit(connection, id, value)
}

/** `database.limits`, whose members are the connection's limits. Setting a member to Infinity resets it to its largest value. */
export const limitsOf = (connection: () => Connection): DatabaseLimits => {
  const object = {}
  limits.forEach(([name], id) => {
    Object.defineProperty(object, name, {
      enumerable: true,
      get: () => {
        const { engine, handle } = connection()
        return engine.memory.int(handle + fields.limits + id * 4)
      },
      set: (value: unknown) => {
        const current = connection()
        if (value === Number.POSITIVE_INFINITY) return setLimit(current, id, 0x7fffffff)
        if (!isInt32(value)) throw invalidArgumentType("Limit value must be a non-negative integer or Infinity.")
        if (value < 0) throw outOfRange("Limit value must be non-negative.")
        setLimit(current, id, value)
      },
    })
  })
  // Safe: the loop defined every name.
  return object as DatabaseLimits
}
