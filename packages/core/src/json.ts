/**
 * JSON text in, with every integer of 64 bits exact.
 *
 * `JSON.parse` alone rounds 9007199254740993 to …992 and calls 1.0000000000000000001
 * an integer. Here a number is read from its spelling whenever the spelling could matter.
 */
import { Either } from "effect"
import { InvalidJson } from "./errors.js"
import { maxInt64, minInt64 } from "./int64.js"

/**
 * A JSON number that is not a 64-bit integer, as it was spelled: `1.5`, `1e400`.
 * The domain has no use for one except to say what came.
 */
export class OtherNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Text in which some number might not be a short run of digits. Strings may match too: then the slow way is merely slower. */
const needsSource = /[0-9][.eE]|[0-9]{16}/

const spelling = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** The exact value of a spelled number, if it is a 64-bit integer. Work is bounded by the length of the text, whatever the exponent. */
const int64FromSpelling = (source: string): bigint | undefined => {
  const [, whole = "", fraction = "", exponent = "0"] = spelling.exec(source) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  if (significant === "") return 0n
  // value = significant × 10^zeros. An exponent too long for a number becomes ±Infinity, which the two tests refuse.
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (zeros < 0 || significant.length + zeros > 19) return undefined
  const magnitude = BigInt(significant) * 10n ** BigInt(zeros)
  const value = source.startsWith("-") ? -magnitude : magnitude
  return value >= minInt64 && value <= maxInt64 ? value : undefined
}

const exactNumber = (source: string): number | bigint | OtherNumber => {
  const value = int64FromSpelling(source)
  if (value === undefined) return new OtherNumber(source)
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** The third argument of a reviver holds the source text of primitives (ECMAScript proposal "JSON.parse source text access", in V8 since 11.4). */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const reviveExactly: Reviver = (_key, value, { source }) =>
  typeof value === "number" && source !== undefined ? exactNumber(source) : value

/**
 * Reads one JSON text (RFC 8259). Numbers that are 64-bit integers in any
 * spelling become a `number` if that is exact and a `bigint` otherwise; every
 * other number becomes an {@link OtherNumber}. Of duplicate keys the last counts.
 *
 * Fails with `InvalidJson` if the text is not JSON, or nests too deeply to be read.
 *
 * @example decodeJson('{"categoryId": 9007199254740993}') // Either.right({ categoryId: 9007199254740993n })
 */
export const decodeJson = (text: string): Either.Either<unknown, InvalidJson> =>
  Either.try({
    try: (): unknown =>
      // Safe: `Reviver` only adds the third argument, which the library's declaration does not name yet.
      needsSource.test(text) ? JSON.parse(text, reviveExactly as (key: string, value: unknown) => unknown) : JSON.parse(text),
    catch: (thrown) => new InvalidJson({ reason: thrown instanceof RangeError ? "it nests too deeply" : reasonOf(text) }),
  })

const reasonOf = (text: string): string => {
  if (text === "") return "it is empty"
  if (text.startsWith("\uFEFF")) return "it starts with a byte order mark"
  return "it is not one complete JSON text"
}

/** Code points of a value that an error message repeats; more would only help to flood a log. */
const shownCodePoints = 60

/**
 * A value of a decoded JSON text as an error message shows it: primitives as
 * JSON (shortened to 60 code points), objects and arrays by kind.
 */
export const showJson = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (value instanceof OtherNumber) return shorten(value.source)
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  if (typeof value === "string") return JSON.stringify(shorten(value))
  return String(value)
}

const shorten = (text: string): string => {
  // A code point has at most two code units: slicing first keeps a long text from being copied whole.
  const start = [...text.slice(0, shownCodePoints * 2)]
  return start.length > shownCodePoints || text.length > shownCodePoints * 2
    ? `${start.slice(0, shownCodePoints).join("")}…`
    : text
}
