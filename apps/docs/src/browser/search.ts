/** Search over the page (Ctrl+K, or Command+K): operations, fields, errors, headers, guides and schemas. */
import { all, make, one } from "./elements.ts"
import { reveal } from "./fold.ts"

/** One place that can be found. */
interface Place {
  readonly id: string
  readonly kind: string
  readonly title: string
  /** What is searched, in lower case: the title first. */
  readonly text: string
}

const mostResults = 12

/** What can be found, each kind with its elements and where in them the title stands. In the order of their worth. */
const kinds = [
  { kind: "Operation", selector: "section.operation", title: "h3" },
  { kind: "Field", selector: ".operation .field[id]", title: ".field-name" },
  { kind: "Error", selector: ".error", title: "h3 code" },
  { kind: "Guide", selector: ".guide", title: "h3" },
  { kind: "Header", selector: "#headers .field", title: ".field-name" },
  { kind: "Schema", selector: ".schema", title: "h3" },
  { kind: "Section", selector: "main > section:not(.operation)[id]", title: "h1, h2" },
] as const

const inLine = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()

const places = (): ReadonlyArray<Place> =>
  kinds.flatMap(({ kind, selector, title }) =>
    all(selector).map((element) => {
      const name = inLine(element.querySelector(title)?.firstChild?.textContent)
      const within = element.closest<HTMLElement>("section.operation")
      const operation = kind === "Field" ? inLine(within?.querySelector("h3")?.firstChild?.textContent) : ""
      // Of what holds others only its head counts: they are found for themselves.
      const holdsOthers = kind === "Operation" || kind === "Section"
      const words = holdsOthers
        ? `${name} ${element.id} ${inLine(element.querySelector(".endpoint")?.textContent)}`
        : element.textContent
      return {
        id: element.id,
        kind: operation === "" ? kind : `${kind} of ${operation}`,
        title: name,
        text: `${name} ${inLine(words)}`.toLowerCase(),
      }
    }),
  )

/** Places that have every word, those first whose title begins with it or has it. */
const find = (among: ReadonlyArray<Place>, typed: string): ReadonlyArray<Place> => {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  if (words.length === 0) return among.filter(({ kind }) => kind === "Operation" || kind === "Guide")
  const rank = ({ title }: Place) => {
    const at = title.toLowerCase().indexOf(words[0] ?? "")
    return at === 0 ? 0 : at > 0 ? 1 : 2
  }
  return among.filter(({ text }) => words.every((word) => text.includes(word))).sort((a, b) => rank(a) - rank(b))
}

export const enableSearch = (): void => {
  const dialog = one("[data-search]", HTMLDialogElement)
  const field = one("[data-search-words]", HTMLInputElement)
  const list = one("[data-search-results]", HTMLUListElement)
  const note = one("[data-search-note]", HTMLElement)
  const all = places()
  let shown: ReadonlyArray<Place> = []
  let chosen = 0

  const mark = () => {
    for (const [index, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(index === chosen))
    const current = list.children[chosen]
    field.setAttribute("aria-activedescendant", current?.id ?? "")
    current?.scrollIntoView({ block: "nearest" })
  }
  const show = () => {
    const found = find(all, field.value)
    shown = found.slice(0, mostResults)
    chosen = 0
    list.replaceChildren(
      ...shown.map(({ kind, title }, index) => {
        const option = make("li", "search-result", "")
        option.id = `search-result-${index}`
        option.setAttribute("role", "option")
        option.append(make("span", "search-title", title), make("span", "search-kind", kind))
        option.addEventListener("click", () => go(index))
        return option
      }),
    )
    note.textContent =
      found.length === 0
        ? `Nothing found for “${field.value}”.`
        : found.length > shown.length
          ? `${found.length} found, the first ${shown.length} are shown.`
          : ""
    mark()
  }
  const go = (index: number) => {
    const place = shown[index]
    if (place === undefined) return
    dialog.close()
    reveal(place.id)
    location.hash = place.id
    document.getElementById(place.id)?.scrollIntoView()
  }
  const open = () => {
    if (dialog.open) return
    field.value = ""
    show()
    dialog.showModal()
    field.focus()
  }

  one("[data-search-open]", HTMLButtonElement).addEventListener("click", open)
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
  // A click beside the box closes it: the dialog itself is hit only through its backdrop.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close()
  })
}
