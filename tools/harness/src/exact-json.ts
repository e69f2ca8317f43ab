/**
 * Lossless JSON: `JSON.parse` passes the source text of each number to the reviver, so an integer above 2^53 becomes exactly the
 * bigint in the text, not a nearby value.
 */

/** A JSON value. An integer in plain decimal is a `bigint`, and any other number is a `number`. */
export type Json = null | boolean | string | bigint | number | ReadonlyArray<Json> | { readonly [member: string]: Json }

type ExactReviver = (this: unknown, member: string, value: unknown, context: { readonly source?: string }) => unknown

const exact: ExactReviver = (_member, value, { source }) =>
  typeof value === "number" && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value

/** Reads a JSON text. Throws a `SyntaxError` if it is malformed. */
export const readJson = (text: string): Json =>
  // TypeScript's reviver type lacks the third argument, which every Node since 21 passes. JSON.parse returns `any`.
  JSON.parse(text, exact as (member: string, value: unknown) => unknown) as Json

/** The value if it is an object, or `undefined` for any other value, such as an array or `null`. */
export const members = (value: Json): { readonly [member: string]: Json } | undefined =>
  // Array.isArray does not exclude a ReadonlyArray from the type, hence the cast. The remaining value is an object.
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [member: string]: Json })
    : undefined
