/** The page's search (Ctrl+K or Command+K): operations, fields, errors, headers, guides and schemas. */

import { all, make, one } from "@petstore/pages/elements"
import MiniSearch from "minisearch"
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

/** Words on the page, and the words that people type instead. */
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

/** The kinds of result that readers want to see first. */
const overview: ReadonlySet<string> = new Set(["Operation", "Guide"])

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
        : element.textContent
      return {
        id: element.id,
        kind: operation === "" ? kind : `${kind} in ${operation}`,
        title: name,
        text: inLine(words),
        page: element.querySelector<HTMLAnchorElement>(":scope > h3 > a:not(.anchor)")?.href,
      }
    }),
  )

const wordsOf = (text: string): Array<string> => text.split(/[^\p{L}\p{N}]+/u)

/** A word on the page and its synonyms. All of them are indexed, so prefixes and typos of a synonym match too. */
const withSynonyms = (word: string): Array<string> => [word.toLowerCase(), ...(synonyms.get(word.toLowerCase()) ?? [])]

/** Splits text into words, and names into the words that they consist of: `categoryId` is also `category` and `id`. */
const tokensOf = (text: string): Array<string> =>
  wordsOf(text).flatMap((word) => {
    const parts = word.replace(/([a-z])([A-Z])/g, "$1 $2").split(" ")
    return parts.length === 1 ? parts : [word, ...parts]
  })

/** Finds the places that match every typed word: exactly, as a prefix or approximately. Title matches rank higher. */
const finder = (among: ReadonlyArray<Place>): ((typed: string) => ReadonlyArray<Place>) => {
  const index = new MiniSearch({ fields: ["title", "text"], tokenize: tokensOf, processTerm: withSynonyms })
  // The index knows a place by its rank.
  index.addAll(among.map(({ title, text }, id) => ({ id, title, text })))
  return (typed) => {
    if (typed.trim() === "") return among.filter(({ kind }) => overview.has(kind))
    const found = index.search(typed, {
      combineWith: "AND",
      prefix: true,
      // Allows one typo for every five characters, and no typos in short words.
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      boost: { title: 4 },
      boostDocument: (id) => (overview.has(among[id]?.kind ?? "") ? 2 : 1),
      processTerm: (word) => word.toLowerCase(),
      tokenize: wordsOf,
    })
    // Groups places by title, in the order of `among`. The search itself would rank them by length, which is irrelevant.
    const byTitle = Map.groupBy(
      found.map(({ id }): number => id),
      (rank) => among[rank]?.title,
    )
    return [...byTitle.values()].flatMap((ranked) => ranked.toSorted((a, b) => a - b)).flatMap((rank) => among[rank] ?? [])
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
