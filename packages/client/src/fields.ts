/**
 * The members of JSON objects: how those of arguments are checked and written, and how those of responses are decoded. Bundlers drop
 * what a program does not use of it, because calls of the marked functions have no side effects.
 */

/** Checks an argument, and returns it. Throws a `TypeError` if it is not valid. */
export type Check = <A>(name: string, value: A) => A

/** @param what  what a valid value is, for the message */
/* @__NO_SIDE_EFFECTS__ */ export const must =
  (what: string, isValid: (value: unknown) => boolean): Check =>
  (name, value) => {
    if (!isValid(value)) throw new TypeError(`${name} must be ${what}, got ${String(value).slice(0, 64)} (${typeof value}).`)
    return value
  }

export const isInt64 = (value: unknown): boolean => typeof value === "bigint" && BigInt.asIntN(64, value) === value

/** Refuses numbers, because they may already be rounded. */
export const mustBeInt64 = must('a bigint of at most 64 bits, such as 7n or BigInt("7")', isInt64)

export const mustBeText = must("a string", (value) => typeof value === "string")

/* @__NO_SIDE_EFFECTS__ */ export const mustBeOneOf = (values: ReadonlyArray<unknown>): Check =>
  must(`one of ${values.join(", ")}`, (value) => values.includes(value))

/* @__NO_SIDE_EFFECTS__ */ export const orNull =
  (check: Check): Check =>
  (name, value) =>
    value === null ? value : check(name, value)

/** Whether a member of an object may be absent. */
type IsOptional<A, Name extends keyof A> = Partial<Pick<A, Name>> extends Pick<A, Name> ? true : false

type Checks<A, Optional extends boolean> = {
  readonly [Name in keyof A as IsOptional<A, Name> extends Optional ? Name : never]-?: Check
}

/**
 * Returns the function that checks an object and writes it as JSON with every digit. The same object always results in the same
 * text, because retries must send identical text.
 */
/* @__NO_SIDE_EFFECTS__ */ export const bodyOf =
  <A extends object>(required: Checks<A, false>, optional: Checks<A, true>) =>
  (given: A): string => {
    const written = Object.entries<Check>({ ...required, ...optional }).flatMap(([name, check]) => {
      const value: unknown = Reflect.get(given, name)
      if (value === undefined && name in optional) return []
      check(name, value)
      return `"${name}":${typeof value === "bigint" ? value : JSON.stringify(value)}`
    })
    return `{${written.join(",")}}`
  }

/** Returns the members of a JSON object. Other values have none that the client reads. */
export const members = (json: unknown): Readonly<Record<string, unknown>> => Object(json)

/** Decodes a 64-bit integer. `parseExactJson` returns a number only if it is exact, and a bigint only for a 64-bit integer. */
export const int64 = (value: unknown): bigint | undefined =>
  typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value)) ? BigInt(value) : undefined

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const flag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined)

export const timestamp = (value: unknown): Date | undefined => {
  const date = new Date(typeof value === "string" ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/* @__NO_SIDE_EFFECTS__ */ export const oneOf =
  <A>(values: ReadonlyArray<A>) =>
  (json: unknown): A | undefined =>
    values.find((value) => value === json)

type Decoders<A, Optional extends boolean> = {
  readonly [Name in keyof A as IsOptional<A, Name> extends Optional ? Name : never]-?: (json: unknown) => A[Name] | undefined
}

/** Returns the decoder of an object. It returns `undefined` if a member is invalid, and leaves out unknown members. */
/* @__NO_SIDE_EFFECTS__ */ export const object = <A>(required: Decoders<A, false>, optional: Decoders<A, true>) => {
  const named = Object.entries<(json: unknown) => unknown>({ ...required, ...optional })
  return (json: unknown): A | undefined => {
    const given = members(json)
    const decoded: Record<string, unknown> = {}
    for (const [name, decode] of named) {
      if (name in optional && given[name] === undefined) continue
      const value = decode(given[name])
      if (value === undefined) return undefined
      decoded[name] = value
    }
    // Safe: each member has the value that its decoder returned.
    return decoded as A
  }
}

/** Decodes the items of a list. Returns `undefined` if any item is not valid. */
export const decodeEach = <A>(json: unknown, decode: (item: unknown) => A | undefined): ReadonlyArray<A> | undefined => {
  if (!Array.isArray(json)) return undefined
  const items = json.map(decode)
  return items.every((item) => item !== undefined) ? items : undefined
}
