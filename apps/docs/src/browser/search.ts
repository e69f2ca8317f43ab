/** The page's search (Ctrl+K or Command+K): operations, fields, errors, headers, guides and schemas. */

import { all, make, one } from "@petstore/pages/elements"
import { reveal } from "./fold.ts"

interface Place {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly text: string
  /** The page of a guide. `undefined` for what is on this page. */
  readonly page: string | undefined
}

const mostResults = 12

/** Words on the page, and the words that people type instead. Prefixes and typos of both match. */
const synonyms: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["409", ["conflict"]],
  ["412", ["conflict"]],
  ["add", ["create", "insert", "post"]],
  ["agents", ["ai", "assistant", "claude", "llm", "mcp"]],
  ["asc", ["sort", "sorting"]],
  ["authentication", ["api", "key", "login", "oauth", "password", "token"]],
  ["changes", ["audit", "events", "feed", "history", "log", "poll", "realtime", "stream"]],
  ["client", ["install", "javascript", "library", "npm", "package", "sdk"]],
  ["correct", ["change", "edit", "modify", "update"]],
  ["count", ["inventory", "stock"]],
  ["credential", ["login", "oauth", "password", "token"]],
  ["etag", ["cache"]],
  ["order", ["buy", "purchase", "reserve", "sell"]],
  ["paging", ["pagination", "offset"]],
  ["quick", ["curl", "example", "python", "tutorial"]],
  ["rate", ["quota", "throttle", "throttling"]],
  ["remove", ["delete"]],
  ["retries", ["timeout"]],
  ["webhooks", ["callback", "notification", "push", "realtime"]],
])

/** Answers to searches for things that are not on this page. */
const elsewhere: ReadonlyArray<readonly [pattern: RegExp, text: string]> = [
  [
    /^batch|^bulk|^import|^export|^csv|^excel/,
    "One request adds one pet. The service's operator reads and writes whole files: petstore import FILE, petstore export FILE.",
  ],
  [/^open ?api|^swagger|^postman/, "The contract is at /openapi.json (OpenAPI 3.1), for code generators and Postman."],
]

/** The kinds of search result, most important first, with the selectors of their elements and titles. */
const kinds = [
  { kind: "Operation", selector: "section.operation", title: "h3" },
  { kind: "Field", selector: ".operation .field[id*='-body-']", title: ".field-name" },
  { kind: "Field", selector: ".operation .field[id]:not([id*='-body-'])", title: ".field-name" },
  { kind: "Error", selector: ".error", title: "h3 code" },
  { kind: "Guide", selector: ".guide", title: "h3" },
  { kind: "Header", selector: "#headers .field", title: ".field-name" },
  { kind: "Schema", selector: ".schema", title: "h3" },
  { kind: "Section", selector: "main > section:not(.operation)[id]", title: "h1, h2" },
] as const

/** How much more readers want to see results of these kinds than others. */
const importance: Readonly<Record<string, number>> = { Operation: 2, Guide: 2, Error: 1.5 }

const inLine = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()

const places = (): ReadonlyArray<Place> =>
  kinds.flatMap(({ kind, selector, title }) =>
    all(selector).map((element) => {
      const name = inLine(element.querySelector(title)?.firstChild?.textContent)
      const within = element.closest<HTMLElement>("section.operation")
      const operation = kind === "Field" ? inLine(within?.querySelector("h3")?.firstChild?.textContent) : ""
      // If an element contains others, only its heading is indexed. The other elements are indexed separately.
      const holdsOthers = kind === "Operation" || kind === "Section"
      const words = holdsOthers
        ? `${name} ${element.id} ${inLine(element.querySelector(".endpoint")?.textContent)}`
        : `${element.textContent} ${element.dataset["words"] ?? ""}`
      return {
        id: element.id,
        kind: operation === "" ? kind : `${kind} in ${operation}`,
        title: name,
        text: inLine(words),
        page: element.querySelector<HTMLAnchorElement>(":scope > h3 > a:not(.anchor)")?.href,
      }
    }),
  )

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** The words of a text, the words that names consist of (`categoryId` is also `category` and `id`), and their synonyms. */
const tokensOf = (text: string): ReadonlyArray<string> =>
  wordsOf(text)
    .flatMap((word) => [word, ...word.replace(/([a-z])([A-Z])/g, "$1 $2").split(" ")])
    .flatMap((word) => [word.toLowerCase(), ...(synonyms.get(word.toLowerCase()) ?? [])])

/** How many letters must be inserted, removed or replaced to make one word from the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const above = row
    row = [index + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1)
      row.push(Math.min(replaced, (row[column] ?? 0) + 1, (above[column + 1] ?? 0) + 1))
    }
  }
  return row.at(-1) ?? 0
}

/** How well a word on the page matches a typed one: exactly, as a prefix, or with one typo for every five letters. */
const closeness = (typed: string, word: string): number => {
  if (word.startsWith(typed)) return word === typed ? 1 : 0.75
  const allowed = typed.length > 4 ? Math.round(typed.length / 5) : 0
  return Math.abs(word.length - typed.length) <= allowed && distance(typed, word) <= allowed ? 0.4 : 0
}

/** Finds the places that match every typed word. Title matches rank higher. */
const finder = (among: ReadonlyArray<Place>): ((typed: string) => ReadonlyArray<Place>) => {
  const indexed = among.map(({ title, text, kind }) => ({
    factor: importance[kind] ?? 1,
    words: new Map([...tokensOf(text).map((word) => [word, 1] as const), ...tokensOf(title).map((word) => [word, 4] as const)]),
  }))
  const scoreOf = (typed: ReadonlyArray<string>, rank: number): number => {
    const { factor, words } = indexed[rank] ?? { factor: 0, words: new Map<string, number>() }
    const scores = typed.map((one) => Math.max(0, ...[...words].map(([word, weight]) => weight * closeness(one, word))))
    return scores.includes(0) ? 0 : factor * scores.reduce((sum, score) => sum + score)
  }
  return (text) => {
    const typed = wordsOf(text.toLowerCase())
    if (typed.length === 0) return among.filter(({ kind }) => importance[kind] === 2)
    const scores = among.map((_, rank) => scoreOf(typed, rank))
    const ranks = [...among.keys()].filter((rank) => (scores[rank] ?? 0) > 0)
    const best = ranks.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    // Groups places by title, in the order of `among`.
    const byTitle = Map.groupBy(best, (rank) => among[rank]?.title)
    return [...byTitle.values()].flatMap((group) => group.toSorted((a, b) => a - b)).flatMap((rank) => among[rank] ?? [])
  }
}

export const enableSearch = (): void => {
  const dialog = one("[data-search]", HTMLDialogElement)
  const field = one("[data-search-words]", HTMLInputElement)
  const list = one("[data-search-results]", HTMLUListElement)
  const note = one("[data-search-note]", HTMLElement)
  const find = finder(places())
  let shown: ReadonlyArray<Place> = []
  let chosen = 0

  const mark = () => {
    for (const [index, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(index === chosen))
    const current = list.children[chosen]
    field.setAttribute("aria-activedescendant", current?.id ?? "")
    current?.scrollIntoView({ block: "nearest" })
  }
  const show = () => {
    const found = find(field.value)
    shown = found.slice(0, mostResults)
    chosen = 0
    list.replaceChildren(
      ...shown.map(({ kind, title }, index) => {
        const content = [make("span", "search-title", title), make("span", "search-kind", kind)]
        const option = make("li", "search-result", content, { id: `search-result-${index}`, role: "option" })
        option.addEventListener("click", () => go(index))
        return option
      }),
    )
    const [, answer] = elsewhere.find(([pattern]) => pattern.test(field.value.trim().toLowerCase())) ?? []
    const cut = found.length > shown.length ? `${found.length} found; the first ${shown.length} are shown.` : ""
    note.textContent = answer ?? (found.length === 0 ? `Nothing found for “${field.value}”.` : cut)
    mark()
  }
  const go = (index: number) => {
    const place = shown[index]
    if (place === undefined) return
    dialog.close()
    if (place.page !== undefined) return location.assign(place.page)
    location.hash = place.id
    reveal(place.id)
  }
  const open = () => {
    if (dialog.open) return
    field.value = ""
    show()
    dialog.showModal()
    field.focus()
  }

  one("[data-search-open]", HTMLButtonElement).addEventListener("click", open)
  // The search button of a guide leads here.
  if (location.hash === "#search") open()
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
  field.addEventListener("input", show)
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(chosen)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || shown.length === 0) return
    event.preventDefault()
    chosen = (chosen + step + shown.length) % shown.length
    mark()
  })
  // A click on the backdrop closes the dialog. Only for such a click is the dialog itself the target.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close()
  })
}
