/** Lossless JSON: `JSON.parse` passes each number's source text to the reviver, so integers above 2^53 become exact bigints. */

/** A JSON value. An integer in plain decimal is a `bigint`, and any other number is a `number`. */
export type Json = null | boolean | string | bigint | number | ReadonlyArray<Json> | { readonly [member: string]: Json }

type ExactReviver = (this: unknown, member: string, value: unknown, context: { readonly source?: string }) => unknown

const exact: ExactReviver = (_member, value, { source }) =>
  typeof value === "number" && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value

/** Parses a JSON text. Throws a `SyntaxError` if it is malformed. */
export const readJson = (text: string): Json =>
  // TypeScript's reviver type lacks the third argument, which every Node since 21 passes. JSON.parse returns `any`.
  JSON.parse(text, exact as (member: string, value: unknown) => unknown) as Json

/** The value if it is an object, or `undefined` for any other value, such as an array or `null`. */
export const members = (value: Json): { readonly [member: string]: Json } | undefined =>
  // Array.isArray does not exclude a ReadonlyArray from the type, hence the cast. The remaining value is an object.
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [member: string]: Json })
    : undefined
