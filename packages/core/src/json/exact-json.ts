/**
 * Parses and writes JSON with exact 64-bit integers. This is a separate entry point without dependencies (not even effect),
 * because clients use it too.
 *
 * `JSON.parse` alone rounds 9007199254740993 to …992 and parses 1.0000000000000000001 as an integer. This module parses a
 * number from its source text whenever the result could differ.
 */

/** A JSON number that is not a 64-bit integer, as written: `1.5`, `1e400`. The domain shows it only in messages. */
export class NonInt64Number {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Matches text that may contain a number other than a short run of digits. Strings may match too, which only takes time. */
const needsSource = /[0-9][.eE]|[0-9]{16}/

const spelling = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Does not use /0+$/, which is quadratic and takes seconds for a body of 64 KiB. */
const withoutZerosAtEnd = (digits: string): string => {
  let end = digits.length
  while (digits.charAt(end - 1) === "0") end -= 1
  return digits.slice(0, end)
}

/** The time depends on the length of the text, not on the exponent. */
const int64FromSpelling = (source: string): bigint | undefined => {
  const [, whole = "", fraction = "", exponent = "0"] = spelling.exec(source) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const significant = withoutZerosAtEnd(digits)
  if (significant === "") return 0n
  // value = significant × 10^zeros. An exponent that is too large for a number becomes ±Infinity, which the two checks refuse.
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (zeros < 0 || significant.length + zeros > 19) return undefined
  const magnitude = BigInt(significant) * 10n ** BigInt(zeros)
  const value = source.startsWith("-") ? -magnitude : magnitude
  return BigInt.asIntN(64, value) === value ? value : undefined
}

const exactNumber = (source: string): number | bigint | NonInt64Number => {
  const value = int64FromSpelling(source)
  if (value === undefined) return new NonInt64Number(source)
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Matches a string, to skip its digits, or the characters of a number. `JSON.parse` refuses unclosed and malformed ones. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"?|[-+.0-9][-+.0-9eE]*/gs

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * Parses one JSON text (RFC 8259). Every 64-bit integer, in any notation, becomes a `number` if that is exact and a `bigint`
 * otherwise. Every other number becomes a {@link NonInt64Number}. If a key is duplicated, its last value counts.
 *
 * Throws a `SyntaxError` if the text is not JSON, and a `RangeError` if it is nested too deeply to be parsed.
 *
 * @example parseExactJson('{"categoryId": 9007199254740993}') // { categoryId: 9007199254740993n }
 */
export const parseExactJson = (text: string): unknown => {
  if (!needsSource.test(text)) return JSON.parse(text)
  // Replaces every number with an index into a list of source texts, from which the reviver reads it. Malformed numbers are left in
  // place, and `JSON.parse` refuses them. Not every engine gives revivers the source text, and where one does, this is as fast.
  const spellings: Array<string> = []
  const numbered = text.replace(stringOrNumber, (token) => (jsonNumber.test(token) ? String(spellings.push(token) - 1) : token))
  return JSON.parse(numbered, (_key, value: unknown) => (typeof value === "number" ? exactNumber(spellings[value] ?? "") : value))
}

/** From the ECMAScript proposal "JSON.parse source text access". TypeScript does not declare it yet. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

/**
 * Writes a value as JSON. A `bigint` becomes a plain integer: `JSON.stringify` alone refuses a `bigint`, and a `number` would
 * round it. Needs an engine with `JSON.rawJSON`.
 *
 * @param indent  number of spaces for each level; 0 by default
 * @example stringifyExactJson({ categoryId: 9007199254740993n }) // '{"categoryId":9007199254740993}'
 */
export const stringifyExactJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? JSON.rawJSON(String(member)) : member), indent)
