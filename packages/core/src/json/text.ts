import * as Schema from "@effect/schema/Schema"

/** Does not count the code points of a text with more than `2 * maximum` code units, so a long text takes no more time. */
const isAtMost = (text: string, maximum: number): boolean =>
  text.length <= maximum || (text.length <= maximum * 2 && [...text].length <= maximum)

export const storableTextExpectation = (maximum: number): string =>
  `expected a string of 1 to ${maximum} code points, not blank, without U+0000 and lone surrogates`

/** Whether every store can keep a text exactly as given. */
export const isKeptText = (text: string, maximum: number): boolean =>
  isAtMost(text, maximum) && !text.includes("\0") && text.isWellFormed()

export const isStorableText = (text: string, maximum: number): boolean => text.trim() !== "" && isKeptText(text, maximum)

/**
 * Text that every store can store exactly as given: not blank, with at most `maximum` code points, no U+0000 (which PostgreSQL
 * cannot store) and no lone surrogate (which UTF-8 cannot encode). It is never trimmed or normalised.
 */
export const storableText = (maximum: number): Schema.Schema<string> =>
  Schema.String.annotations({ message: () => ({ message: storableTextExpectation(maximum), override: true }) }).pipe(
    Schema.filter((text) => isStorableText(text, maximum), {
      message: () => storableTextExpectation(maximum),
      // JSON Schema counts code points too (RFC 8259 §7, JSON Schema Validation §6.3.1). It cannot forbid a lone surrogate: in
      // validators that do not set the flag `u`, a pattern with surrogates refuses every emoji.
      jsonSchema: { minLength: 1, maxLength: maximum, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" },
    }),
  )
