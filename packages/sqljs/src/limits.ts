/** SQLite's run-time limits: `database.limits` and the `limits` option. */
import type { Connection } from "./connection.js"
import { invalidArgumentType, invalidState, outOfRange } from "./errors.js"
import { isInt32 } from "./options.js"
import { database as fields } from "./structures.js"

/** The names that `node:sqlite` uses, in the order of SQLite's SQLITE_LIMIT numbers. */
const limitNames = [
  "length",
  "sqlLength",
  "column",
  "exprDepth",
  "compoundSelect",
  "vdbeOp",
  "functionArg",
  "attach",
  "likePatternLength",
  "variableNumber",
  "triggerDepth",
] as const

/** The largest sizes that a connection accepts. */
export interface DatabaseLimits extends Record<(typeof limitNames)[number], number> {}

/** `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`. SQLite recurses once for every two bytes; 6000 bytes fit into the reserved stack. */
const likePatternLength = 8
const longestPattern = 4000

/** The largest values, which are also the defaults. They are the limits of this build, except for patterns. */
const largest: readonly number[] = [
  ...[1_000_000_000, 1_000_000_000, 2000, 1000, 500, 250_000_000, 1000, 10],
  ...[longestPattern, 32_766, 1000],
]

/** `SQLITE_MIN_LENGTH`: SQLite accepts no smaller limit on string length. */
const shortestLength = 30

const setLimit = ({ engine, handle }: Connection, id: number, value: number): void => {
  const bounded = Math.max(id === 0 ? shortestLength : 0, Math.min(value, largest[id] ?? value))
  engine.memory.setInt(handle + fields.limits + id * 4, bounded)
}

/** Reads the `limits` option. Throws ERR_INVALID_ARG_TYPE or ERR_OUT_OF_RANGE for an invalid limit. */
export const readLimits = (limits: Readonly<Record<string, unknown>>): ReadonlyMap<number, number> => {
  const initial = new Map<number, number>()
  limitNames.forEach((name, id) => {
    const value = limits[name]
    if (value === undefined) return
    if (!isInt32(value)) throw invalidArgumentType(`The "options.limits.${name}" argument must be an integer.`)
    if (value < 0) throw outOfRange(`The "options.limits.${name}" argument must be non-negative.`)
    initial.set(id, value)
  })
  return initial
}

export const applyLimits = (connection: Connection, limits: ReadonlyMap<number, number>): void => {
  setLimit(connection, likePatternLength, longestPattern)
  for (const [id, value] of limits) setLimit(connection, id, value)
}

/** `database.limits`, whose members are the connection's limits. Setting a member to Infinity sets its largest value. */
export const limitsOf = (connection: () => Connection | undefined): DatabaseLimits => {
  const open = (): Connection => {
    const current = connection()
    if (current === undefined) throw invalidState("database is not open")
    current.engine.requireRunning()
    return current
  }
  const object = {}
  limitNames.forEach((name, id) => {
    Object.defineProperty(object, name, {
      enumerable: true,
      get: () => {
        const { engine, handle } = open()
        return engine.memory.int(handle + fields.limits + id * 4)
      },
      set: (value: unknown) => {
        const current = open()
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
