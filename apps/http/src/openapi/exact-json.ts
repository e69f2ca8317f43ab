/** JSON text with integers of any size, to the last digit. */

/** ECMAScript proposal "JSON.parse source text access": in V8 since 11.4, not yet in the library's declarations. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

/**
 * Writes a value as indented JSON. A `bigint` becomes a plain integer:
 * `JSON.stringify` alone refuses it, and a `number` would round it.
 */
export const exactJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? JSON.rawJSON(String(member)) : member), indent)
