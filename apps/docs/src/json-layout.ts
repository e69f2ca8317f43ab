/** Formats JSON text token by token. No number is parsed, so all digits stay as they were sent. */

/** A piece of formatted JSON. A `space` is a line break with its indentation, or the space after a colon. */
export interface JsonToken {
  readonly kind: "name" | "string" | "number" | "keyword" | "punctuation" | "space"
  readonly text: string
}

/** The class names are short because a page has a thousand tokens. Punctuation has the colour of plain text. */
export const tokenClasses: Readonly<Record<string, string>> = {
  string: "s",
  number: "n",
  keyword: "k",
  name: "m",
  function: "m",
  comment: "c",
}

const lexeme =
  /\s*(?:(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d.eE+-]*)|(?<keyword>true|false|null)|(?<punctuation>[{}[\],:]))/y

/** Splits JSON text into tokens, without white space. Returns `undefined` if the text does not consist of JSON tokens. */
const tokensOf = (text: string): ReadonlyArray<JsonToken> | undefined => {
  const tokens: Array<JsonToken> = []
  const trimmed = text.trimEnd()
  lexeme.lastIndex = 0
  while (lexeme.lastIndex < trimmed.length) {
    const [kind, text] = Object.entries(lexeme.exec(trimmed)?.groups ?? {}).find(([, token]) => token !== undefined) ?? []
    if (kind === undefined || text === undefined) return undefined
    // Safe: each group is named after a kind.
    tokens.push({ kind: kind as JsonToken["kind"], text })
  }
  return tokens
}

const lineBreak = (depth: number): JsonToken => ({ kind: "space", text: `\n${"  ".repeat(depth)}` })

/** Indents each level by two spaces. Returns `undefined` for text that is not JSON. Callers show such text unchanged. */
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
