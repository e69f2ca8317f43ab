/**
 * Whole numbers of 64 bits, exact everywhere: as `bigint` in memory, as digits in JSON.
 */
import * as Schema from "@effect/schema/Schema"
import * as Option from "effect/Option"

/** The smallest 64-bit integer. */
export const minInt64 = -(2n ** 63n)
/** The largest 64-bit integer. */
export const maxInt64 = 2n ** 63n - 1n

/** Its JSON Schema: the format that OpenAPI registers for signed 64 bits, with bounds. */
const jsonSchema = { type: "integer", format: "int64" }

/** A 64-bit integer as the domain holds it. */
export const Int64FromSelf: Schema.filter<Schema.Schema<bigint>> = Schema.BigIntFromSelf.pipe(
  Schema.betweenBigInt(minInt64, maxInt64, {
    message: () => `expected an integer from ${minInt64} to ${maxInt64}`,
    jsonSchema,
  }),
)

/** Whether a value is an integer that fits into 64 bits. */
export const isInt64 = (value: unknown): value is bigint => typeof value === "bigint" && value >= minInt64 && value <= maxInt64

/** A JSON number that is a 64-bit integer, as `decodeJson` returns it: a number if that is exact, else a bigint. */
const JsonInt64 = Schema.Union(Schema.JsonNumber.pipe(Schema.int()), Schema.BigIntFromSelf).annotations({
  message: () => ({ message: `expected an integer from ${minInt64} to ${maxInt64}`, override: true }),
  jsonSchema,
})

/**
 * A 64-bit integer: `bigint` in the domain, any JSON spelling of it outside
 * (`1`, `1.0`, `1e2`), exact past 2^53 when the text was read with `decodeJson`.
 */
export const Int64: Schema.Schema<bigint, number | bigint> = Schema.transform(JsonInt64, Int64FromSelf, {
  strict: true,
  decode: (json) => BigInt(json),
  encode: (int64) => int64,
})

const plainDecimal = /^(?:0|-?[1-9][0-9]{0,18})$/

/**
 * Reads a 64-bit integer in plain decimal: no plus sign, no leading zero, no
 * exponent, no `-0`. `None` for every other text and beyond 64 bits.
 *
 * @example int64FromText("9007199254740993") // Option.some(9007199254740993n)
 * @example int64FromText("+7") // Option.none()
 */
export const int64FromText = (text: string): Option.Option<bigint> => {
  if (!plainDecimal.test(text)) return Option.none()
  const value = BigInt(text)
  return isInt64(value) ? Option.some(value) : Option.none()
}
