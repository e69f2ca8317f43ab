/** The functions of a test runner: those that declare tests, and assertions that need no runner. */

/** Functions that declare tests, such as those of `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, declare: () => void) => unknown
  readonly it: (name: string, test: () => Promise<void>) => unknown
}

let byDefault: TestRunner | undefined

/** Sets the runner of suites that are declared without one. */
export const useByDefault = (runner: TestRunner): void => {
  byDefault = runner
}

/** The runner of the suite that is being declared. */
let current: TestRunner | undefined

const runner = (): TestRunner => {
  if (current === undefined)
    throw new TypeError(
      "The suite has no test runner. Import it in a project with vitest, or pass the functions of another runner: { runner: { describe, it } }.",
    )
  return current
}

/** Declares a suite. Runners call the suites' functions later, one after the other. */
export const suite = (chosen: TestRunner | undefined, name: string, declare: () => void): void => {
  current = chosen ?? byDefault
  describe(name, declare)
}

export const describe = (name: string, declare: () => void): void => {
  const own = runner()
  own.describe(name, () => {
    current = own
    declare()
  })
}

export const it = (name: string, test: () => Promise<void>): void => void runner().it(name, test)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether two values have the same prototypes and members. Also compares the messages of errors. */
const isEqual = (one: unknown, other: unknown): boolean => {
  if (!isObject(one) || !isObject(other)) return Object.is(one, other)
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false
  if (one instanceof Date && other instanceof Date) return Object.is(one.getTime(), other.getTime())
  if (one instanceof Error && other instanceof Error && one.message !== other.message) return false
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  return (
    members.size === others.size && [...members].every(([name, value]) => others.has(name) && isEqual(value, others.get(name)))
  )
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member)) ?? String(value)
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}

/** Assertions. A failure has `expected` and `actual`, so that runners can show the difference. */
export const expect = (actual: unknown) => {
  const check = (holds: boolean, relation: string, expected: unknown): void => {
    if (holds) return
    const message = `expected ${shown(actual)} ${relation} ${shown(expected)}`
    throw Object.assign(new Error(message), { name: "AssertionError", actual, expected })
  }
  const compared = (relation: string, holds: (actual: number | bigint, bound: number | bigint) => boolean) => {
    return (bound: number | bigint): void =>
      check((typeof actual === "number" || typeof actual === "bigint") && holds(actual, bound), relation, bound)
  }
  return {
    toBe: (expected: unknown): void => check(Object.is(actual, expected), "to be", expected),
    toStrictEqual: (expected: unknown): void => check(isEqual(actual, expected), "to equal", expected),
    toHaveLength: (length: number): void =>
      check(Array.isArray(actual) && actual.length === length, "to have the length", length),
    toSatisfy: (holds: (value: unknown) => boolean): void => check(holds(actual), "to satisfy", holds.name),
    toBeGreaterThan: compared("to be greater than", (value, bound) => value > bound),
    toBeGreaterThanOrEqual: compared("to be at least", (value, bound) => value >= bound),
    toBeLessThan: compared("to be less than", (value, bound) => value < bound),
    toBeLessThanOrEqual: compared("to be at most", (value, bound) => value <= bound),
    not: { toBe: (expected: unknown): void => check(!Object.is(actual, expected), "not to be", expected) },
  }
}
