import * as Either from "effect/Either"
import { redactApiKeys } from "../credentials/redacted-api-keys.js"
import { NonInt64Number, parseExactJson } from "./exact-json.js"
import { InvalidJson } from "./invalid-input.js"
import { placeOfFault } from "./json-fault.js"

/**
 * Parses JSON as `parseExactJson` does. Fails with `InvalidJson` if the text is not JSON or is nested too deeply to parse, and
 * for anything but text, such as the body that a request did not have.
 *
 * @example decodeJson('{"categoryId": 9007199254740993}') // Either.right({ categoryId: 9007199254740993n })
 */
export const decodeJson = (text: string): Either.Either<unknown, InvalidJson> => {
  const { value, reason } = readJson(text)
  return reason === undefined ? Either.right(value) : Either.left(new InvalidJson({ reason }))
}

/** As {@link decodeJson}, without Effect: returns the value, or the reason why the text has no value. */
export const readJson = (
  text: unknown,
): { readonly value: unknown; readonly reason?: undefined } | { readonly value?: undefined; readonly reason: string } => {
  if (typeof text !== "string") return { reason: `it is ${showJson(text)} instead of text` }
  try {
    return { value: parseExactJson(text) }
  } catch (thrown) {
    return { reason: thrown instanceof RangeError ? "it is nested too deeply" : reasonOf(text) }
  }
}

const reasonOf = (text: string): string => {
  if (text === "") return "it is empty"
  if (text.startsWith("\uFEFF")) return "it starts with a byte order mark"
  const { line, column } = placeOfFault(text)
  return `it is not one complete JSON text, at line ${line}, column ${column}`
}

/** How many code points of a value an error message repeats. More would only flood the logs. */
const shownCodePoints = 60

/** Formats a decoded JSON value for messages: at most 60 code points, no API keys. Objects and arrays show only their type. */
export const showJson = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (value instanceof NonInt64Number) return shorten(value.source)
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  if (typeof value === "string") return JSON.stringify(shorten(redactApiKeys(value)))
  return String(value)
}

const shorten = (text: string): string => {
  // A code point has at most two code units. Slicing first avoids copying a long text.
  const start = [...text.slice(0, shownCodePoints * 2)]
  return start.length > shownCodePoints || text.length > shownCodePoints * 2
    ? `${start.slice(0, shownCodePoints).join("")}…`
    : text
}
