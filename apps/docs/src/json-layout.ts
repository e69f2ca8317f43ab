/**
 * Formats JSON text token by token: no number is parsed, so every digit stays as sent. Used by the build of the page and in the
 * browser.
 */

/** A piece of the layout. `space` is a line break with its indentation, or the space after a colon. */
export interface JsonToken {
  readonly kind: "name" | "string" | "number" | "keyword" | "punctuation" | "space"
  readonly text: string
}

/** The class of each kind of token, short because a page has a thousand of them. Punctuation has the colour of plain text. */
export const tokenClasses: Readonly<Record<string, string>> = {
  string: "s",
  number: "n",
  keyword: "k",
  name: "m",
  function: "m",
  comment: "c",
}

const lexeme = /\s*(?:("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],:]))/y

/** The tokens of a JSON text without white space; `undefined` if it is not made of JSON tokens. */
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
 * Formats a JSON text with two spaces for each level. Returns `undefined` for text that is not JSON, which is then shown
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
