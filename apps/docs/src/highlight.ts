/** Splits code into tokens that the style sheet colours. The build writes them as HTML, and the browser as elements. */
import { escapeText, Html } from "./html.ts"

/** A piece of code. A kind without a class, such as `plain`, is not coloured. */
export interface CodeToken {
  readonly kind: string
  readonly text: string
}

/** The class names are short because a page has a thousand tokens. */
export const tokenClasses: Readonly<Record<string, string>> = {
  string: "s",
  number: "n",
  keyword: "k",
  name: "m",
  function: "m",
  comment: "c",
}

/** A language of the samples. */
export type Language = "curl" | "TypeScript" | "Python"

/** Everything that a block of code can contain. */
export type CodeLanguage = Language | "PHP" | "Terminal" | "HTTP" | "JSON"

/** The kinds of tokens as named groups, in the order of matching. In JSON, only white space is `plain`. */
const grammars: Readonly<Record<CodeLanguage, RegExp>> = {
  Terminal: /(?<keyword>\b(?:npx|npm)\b)|(?<name>(?<=\s)--?[a-zA-Z-]+)/g,
  curl: /(?<keyword>\bcurl\b)|(?<string>'[^']*'|"[^"]*")|(?<name>(?<=\s)--?[a-zA-Z-]+)/g,
  TypeScript:
    /(?<comment>\/\/.*|\/\*.*?\*\/)|(?<keyword>\b(?:import|from|const|await|for|of|if|throw|try|catch|new)\b)|(?<string>"(?:[^"\\]|\\.)*")|(?<number>\b\d+n?\b)|(?<name>\b[a-zA-Z]+(?=:))|(?<function>\b[a-zA-Z]+(?=\())/g,
  Python:
    /(?<comment>#.*)|(?<keyword>\b(?:import|from|for|in|while|None|True|False)\b)|(?<string>f?"(?:[^"\\]|\\.)*")|(?<number>\b\d+\b)|(?<name>\b[a-z_]+(?==))|(?<function>\b[a-z_]+(?=\())/g,
  PHP: /(?<string>"(?:[^"\\]|\\.)*")|(?<number>\b\d+\b)|(?<name>\$\w+)|(?<function>\b\w+(?=\())/g,
  HTTP: /(?<name>^[a-z-]+(?=: ))/gm,
  JSON: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d.eE+-]*)|(?<keyword>true|false|null)|(?<punctuation>[{}[\],:])|(?<invalid>\S[\s\S]*)/g,
}

/** Splits source code into tokens. Joined, the tokens are the original source code. */
export const codeTokens = (language: CodeLanguage, source: string): ReadonlyArray<CodeToken> => {
  const tokens: Array<CodeToken> = []
  let end = 0
  for (const match of source.matchAll(grammars[language])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ["plain"]
    tokens.push({ kind: "plain", text: source.slice(end, match.index) }, { kind, text: match[0] })
    end = match.index + match[0].length
  }
  return [...tokens, { kind: "plain", text: source.slice(end) }].filter(({ text }) => text !== "")
}

const lineBreak = (depth: number): CodeToken => ({ kind: "space", text: `\n${"  ".repeat(depth)}` })

/**
 * Formats JSON: indents each level by two spaces. No number is parsed, so all digits stay as they were sent. Returns `undefined`
 * for text that does not consist of JSON tokens. Callers show such text unchanged.
 */
export const layOutJson = (text: string): ReadonlyArray<CodeToken> | undefined => {
  const tokens = codeTokens("JSON", text).filter(({ kind }) => kind !== "plain")
  if (tokens.some(({ kind }) => kind === "invalid")) return undefined
  const out: Array<CodeToken> = []
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

const marked = ({ kind, text }: CodeToken): string => {
  const className = tokenClasses[kind]
  return className === undefined ? escapeText(text) : `<span class=${className}>${escapeText(text)}</span>`
}

export const highlightCode = (language: CodeLanguage, source: string): Html =>
  new Html(codeTokens(language, source).map(marked).join(""))

export const highlightJson = (text: string): Html => new Html((layOutJson(text) ?? []).map(marked).join(""))
