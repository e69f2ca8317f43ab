import * as Schema from "@effect/schema/Schema"
import * as Option from "effect/Option"

/** The smallest 64-bit integer. */
export const minInt64 = -(2n ** 63n)
/** The largest 64-bit integer. */
export const maxInt64 = 2n ** 63n - 1n

/** OpenAPI registers this format for signed 64-bit integers. */
const jsonSchema = { type: "integer", format: "int64" }

export const int64Expectation = `expected an integer from ${minInt64} to ${maxInt64}`

export const Int64FromSelf: Schema.filter<Schema.Schema<bigint>> = /* @__PURE__ */ (() =>
  Schema.BigIntFromSelf.pipe(Schema.betweenBigInt(minInt64, maxInt64, { message: () => int64Expectation, jsonSchema })))()

export const isInt64 = (value: unknown): value is bigint => typeof value === "bigint" && value >= minInt64 && value <= maxInt64

/** An integer as `decodeJson` returns it: a number if that is exact, otherwise a bigint. */
const JsonInt64 = /* @__PURE__ */ (() =>
  Schema.Union(Schema.JsonNumber.pipe(Schema.int()), Schema.BigIntFromSelf).annotations({
    message: () => ({ message: int64Expectation, override: true }),
    jsonSchema,
  }))()

/** Schema of a 64-bit integer, in any JSON notation (`1`, `1.0`, `1e2`). Exact past 2^53 if `decodeJson` parsed the text. */
export const Int64: Schema.Schema<bigint, number | bigint> = /* @__PURE__ */ (() =>
  Schema.transform(JsonInt64, Int64FromSelf, {
    strict: true,
    decode: (json) => BigInt(json),
    encode: (int64) => int64,
  }))()

const plainDecimal = /^(?:0|-?[1-9][0-9]{0,18})$/

/**
 * Parses a 64-bit integer in plain decimal: no plus sign, no leading zero, no exponent, no `-0`. Returns `None` for any other
 * text and for integers of more than 64 bits.
 *
 * @example int64FromText("9007199254740993") // Option.some(9007199254740993n)
 * @example int64FromText("+7") // Option.none()
 */
export const int64FromText = (text: string): Option.Option<bigint> => Option.fromNullable(int64OfText(text))

/** As {@link int64FromText}, without Effect. */
export const int64OfText = (text: string): bigint | undefined => {
  if (!plainDecimal.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}
