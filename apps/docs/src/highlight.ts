/** Splits code into tokens that the style sheet colours. The build writes them as HTML, and the browser as elements. */
import { escapeText, Html } from "./html.ts"
import { layOutJson, tokenClasses } from "./json-layout.ts"
import type { Language } from "./samples.ts"

/** A piece of code. The kind `plain` is not coloured. */
export interface CodeToken {
  readonly kind: string
  readonly text: string
}

/** The kinds of coloured tokens as named groups, in the order of matching. */
const grammars: Readonly<Record<Language | "Terminal", RegExp>> = {
  Terminal: /(?<keyword>\b(?:npx|npm)\b)|(?<name>(?<=\s)--?[a-zA-Z-]+)/g,
  curl: /(?<keyword>\bcurl\b)|(?<string>'[^']*'|"[^"]*")|(?<name>(?<=\s)--?[a-zA-Z-]+)/g,
  TypeScript:
    /(?<comment>\/\/.*|\/\*.*?\*\/)|(?<keyword>\b(?:import|from|const|await|for|of|if|throw|try|catch|new)\b)|(?<string>"(?:[^"\\]|\\.)*")|(?<number>\b\d+n?\b)|(?<name>\b[a-zA-Z]+(?=:))|(?<function>\b[a-zA-Z]+(?=\())/g,
  Python:
    /(?<comment>#.*)|(?<keyword>\b(?:import|None|True|False)\b)|(?<string>f?"(?:[^"\\]|\\.)*")|(?<number>\b\d+\b)|(?<name>\b[a-z_]+(?==))|(?<function>\b[a-z_]+(?=\())/g,
}

/** Splits source code into tokens. Joined, the tokens are the original source code. */
export const codeTokens = (language: keyof typeof grammars, source: string): ReadonlyArray<CodeToken> => {
  const tokens: Array<CodeToken> = []
  let end = 0
  for (const match of source.matchAll(grammars[language])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ["plain"]
    tokens.push({ kind: "plain", text: source.slice(end, match.index) }, { kind, text: match[0] })
    end = match.index + match[0].length
  }
  return [...tokens, { kind: "plain", text: source.slice(end) }].filter(({ text }) => text !== "")
}

const marked = ({ kind, text }: CodeToken): string => {
  const className = tokenClasses[kind]
  return className === undefined ? escapeText(text) : `<span class=${className}>${escapeText(text)}</span>`
}

export const highlightCode = (language: keyof typeof grammars, source: string): Html =>
  new Html(codeTokens(language, source).map(marked).join(""))

export const highlightJson = (text: string): Html => new Html((layOutJson(text) ?? []).map(marked).join(""))
