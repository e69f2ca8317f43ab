/**
 * JSON without loss: integers keep every digit.
 *
 * `JSON.parse` gives the reviver the source text of each number, so an
 * integer past 2^53 becomes the bigint it names and not its neighbour.
 */

/** A JSON value; an integer in plain decimal is a `bigint`, any other number a `number`. */
export type Json = null | boolean | string | bigint | number | ReadonlyArray<Json> | { readonly [member: string]: Json }

type ExactReviver = (this: unknown, member: string, value: unknown, context: { readonly source?: string }) => unknown

const exact: ExactReviver = (_member, value, { source }) =>
  typeof value === "number" && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value

/** Reads a JSON text. Throws a `SyntaxError` when it is malformed. */
export const readJson = (text: string): Json =>
  // The library's type of the reviver lacks the third argument, which every Node since 21 passes; JSON.parse gives `any`.
  JSON.parse(text, exact as (member: string, value: unknown) => unknown) as Json

/** An object, so that its members can be read; `undefined` for every other value. */
export const members = (value: Json): { readonly [member: string]: Json } | undefined =>
  // Array.isArray does not narrow a ReadonlyArray away, hence the cast; what remains is an object.
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [member: string]: Json })
    : undefined
