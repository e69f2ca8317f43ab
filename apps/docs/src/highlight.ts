/** Code with its parts marked for the style sheet: `<span class=s>`. */
import type { CodeSample } from "./contract.ts"
import { escapeText, Html } from "./html.ts"
import { layOutJson, tokenClasses } from "./json-layout.ts"

const marked = (kind: string, text: string): string => {
  const className = tokenClasses[kind]
  return className === undefined ? escapeText(text) : `<span class=${className}>${escapeText(text)}</span>`
}

/** What is worth marking, in the order it is looked for: the named group says what it is. */
const grammars: Readonly<Record<CodeSample["lang"], RegExp>> = {
  Shell: /(?<keyword>\bcurl\b)|(?<string>'[^']*'|"[^"]*")|(?<name>(?<=\s)--?[a-zA-Z-]+)/g,
  TypeScript:
    /(?<comment>\/\/.*)|(?<keyword>\b(?:import|from|const|await|for|of|if|throw|try|catch|new)\b)|(?<string>"[^"]*")|(?<number>\b\d+n?\b)|(?<name>\b[a-zA-Z]+(?=:))|(?<function>\b[a-zA-Z]+(?=\())/g,
}

/** A code sample. `{base}` becomes an element that the page fills with the address it was loaded from. */
export const highlightCode = ({ lang, source }: CodeSample, base: string): Html => {
  let out = ""
  let end = 0
  for (const match of source.matchAll(grammars[lang])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ["plain"]
    out += escapeText(source.slice(end, match.index)) + marked(kind, match[0])
    end = match.index + match[0].length
  }
  out += escapeText(source.slice(end))
  return new Html(out.replaceAll("{base}", `<span data-base>${escapeText(base)}</span>`))
}

/** A JSON text, laid out. */
export const highlightJson = (text: string): Html =>
  new Html((layOutJson(text) ?? []).map(({ kind, text: token }) => marked(kind, token)).join(""))
