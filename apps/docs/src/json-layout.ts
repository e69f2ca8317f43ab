/**
 * Formats JSON text token by token. No number is parsed, so all digits stay as they were sent. Used by the page's build and in
 * the browser.
 */

/** A piece of formatted JSON. A `space` is a line break with its indentation, or the space after a colon. */
export interface JsonToken {
  readonly kind: "name" | "string" | "number" | "keyword" | "punctuation" | "space"
  readonly text: string
}

/**
 * The class name for each kind of token. The names are short because a page has a thousand tokens. Punctuation has the colour
 * of plain text.
 */
export const tokenClasses: Readonly<Record<string, string>> = {
  string: "s",
  number: "n",
  keyword: "k",
  name: "m",
  function: "m",
  comment: "c",
}

const lexeme = /\s*(?:("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],:]))/y

/** Splits JSON text into tokens, without white space. Returns `undefined` if the text does not consist of JSON tokens. */
const tokensOf = (text: string): ReadonlyArray<JsonToken> | undefined => {
  const tokens: Array<JsonToken> = []
  const trimmed = text.trimEnd()
  lexeme.lastIndex = 0
  while (lexeme.lastIndex < trimmed.length) {
    const match = lexeme.exec(trimmed)
    if (match === null) return undefined
    const [, string, colon, number, keyword, punctuation] = match
    if (string !== undefined) tokens.push({ kind: colon === undefined ? "string" : "name", text: string })
    if (colon !== undefined) tokens.push({ kind: "punctuation", text: ":" })
    if (number !== undefined) tokens.push({ kind: "number", text: number })
    if (keyword !== undefined) tokens.push({ kind: "keyword", text: keyword })
    if (punctuation !== undefined) tokens.push({ kind: "punctuation", text: punctuation })
  }
  return tokens
}

const lineBreak = (depth: number): JsonToken => ({ kind: "space", text: `\n${"  ".repeat(depth)}` })

/**
 * Formats JSON text with two spaces for each level. Returns `undefined` for text that is not JSON, which is then shown
 * unchanged.
 */
export const layOutJson = (text: string): ReadonlyArray<JsonToken> | undefined => {
  const tokens = tokensOf(text)
  if (tokens === undefined) return undefined
  const out: Array<JsonToken> = []
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1]?.text
    const opens = previous === "{" || previous === "["
    if (token.text === "}" || token.text === "]") {
      depth = Math.max(0, depth - 1)
      if (!opens) out.push(lineBreak(depth))
    } else if (opens || previous === ",") out.push(lineBreak(depth))
    else if (previous === ":") out.push({ kind: "space", text: " " })
    out.push(token)
    if (token.text === "{" || token.text === "[") depth += 1
  }
  return out
}
