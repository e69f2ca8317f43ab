/** The list as a table. It is written anew only where something changed, and the focus stays where it was. */
import type { Pet } from "@petstore/client"
import { all, make, one } from "@petstore/docs/elements"
import type { Row, View } from "./view.ts"

/** What a person may do with a line. */
export type Action = "reserve" | "sell" | "complete" | "cancel"

const labels: Readonly<Record<Action, string>> = { reserve: "Reserve", sell: "Sell", complete: "Complete", cancel: "Cancel" }

const captions: Readonly<Record<View, string>> = {
  all: "All animals",
  available: "Available animals",
  pending: "Pending animals",
  sold: "Sold animals",
  reserved: "Reserved animals, by order",
}

const emptyTexts: Readonly<Record<View, string>> = {
  all: "The store has no animals yet. Add the first one.",
  available: "No animal is available.",
  pending: "No animal is pending.",
  sold: "No animal was sold.",
  reserved: "Nothing is reserved: an animal that you reserve has an order here until it is completed or cancelled.",
}

const columns = (view: View): ReadonlyArray<string> =>
  view === "reserved"
    ? ["Order", "Name", "Category", "Animal", "Reserved", "Do"]
    : ["Identifier", "Name", "Category", "Status", "Do"]

/** A cell. On a phone, where a line is a card, the label stands before the value. */
const cell = (label: string, content: string | HTMLElement): HTMLElement => {
  const element = make("td", "", "")
  element.dataset["label"] = label
  element.append(content)
  return element
}

const statusPill = ({ status }: Pet): HTMLElement => make("span", `status-${status ?? "none"}`, status ?? "none")

const button = (action: Action, id: bigint, { name }: Pet, whose: string): HTMLElement => {
  const element = make("button", "secondary", labels[action])
  element.setAttribute("type", "button")
  element.dataset["action"] = action
  element.dataset["id"] = String(id)
  element.dataset["name"] = name
  element.setAttribute("aria-label", `${labels[action]} ${whose}`)
  return element
}

/** The actions that a line offers. */
const buttonsOf = (row: Row): HTMLElement => {
  const actions = make("div", "actions", "")
  if (row.kind === "order") {
    const whose = `order ${row.order.id}, ${row.pet.name}`
    actions.append(button("complete", row.order.id, row.pet, whose), button("cancel", row.order.id, row.pet, whose))
  } else if (row.pet.status === "available") {
    const whose = `${row.pet.name}, ${row.pet.id}`
    actions.append(button("reserve", row.pet.id, row.pet, whose), button("sell", row.pet.id, row.pet, whose))
  }
  return actions
}

const lineOf = (row: Row): HTMLElement => {
  const line = make("tr", "", "")
  const { pet } = row
  const shared = [cell("Name", make("span", "pet-name", pet.name)), cell("Category", String(pet.categoryId))]
  if (row.kind === "order") {
    const since = make("time", "", row.order.createdAt.toLocaleString())
    since.setAttribute("datetime", row.order.createdAt.toISOString())
    line.append(cell("Order", String(row.order.id)), ...shared, cell("Animal", String(pet.id)), cell("Reserved", since))
  } else line.append(cell("Identifier", String(pet.id)), ...shared, cell("Status", statusPill(pet)))
  line.append(cell("Do", buttonsOf(row)))
  return line
}

/** What makes two lines the same to a reader. */
const fingerprint = (rows: ReadonlyArray<Row>): string =>
  rows.map((row) => (row.kind === "order" ? `o${row.order.id}` : `${row.pet.id}${row.pet.status}`)).join()

/** Gives the focus to the same button, or to the nearest that is left: the list is used by keyboard too. */
const restoreFocus = (body: HTMLElement, { dataset: { action, id } }: HTMLElement, line: number): void => {
  const same = body.querySelector<HTMLElement>(`[data-action="${action}"][data-id="${id}"]`)
  const later = [...body.children].slice(line).map((row) => row.querySelector<HTMLElement>("button"))
  const next = same ?? later.find((button) => button !== null) ?? one("#list-title", HTMLElement)
  next.focus()
}

let shown = ""

export const showRows = (view: View, rows: ReadonlyArray<Row>): void => {
  const now = `${view}|${fingerprint(rows)}`
  if (now === shown) return
  shown = now
  const body = one("[data-rows]", HTMLElement)
  const focused = document.activeElement?.closest<HTMLElement>("[data-rows] [data-action]")
  const focusedLine = [...body.children].findIndex((line) => line.contains(focused ?? null))
  const head = make("tr", "", "")
  for (const title of columns(view)) {
    const header = make("th", "", title)
    header.setAttribute("scope", "col")
    head.append(header)
  }
  one("[data-caption]", HTMLElement).textContent = captions[view]
  one("[data-head]", HTMLElement).replaceChildren(head)
  body.replaceChildren(...rows.map(lineOf))
  if (focused) restoreFocus(body, focused, focusedLine)
  one("[data-table]", HTMLTableElement).hidden = rows.length === 0
  const empty = one("[data-empty]", HTMLElement)
  empty.hidden = rows.length > 0
  empty.textContent = emptyTexts[view]
}

/** One animal that was looked up, as a table of one line. */
export const foundTable = (pet: Pet): HTMLElement => {
  const table = make("table", "found", "")
  const caption = make("caption", "", `Animal ${pet.id}`)
  const body = make("tbody", "", "")
  body.append(lineOf({ kind: "animal", pet }))
  table.append(caption, body)
  return table
}

/** Removes everything that the list and the numbers show. */
export const clear = (): void => {
  shown = ""
  one("[data-find]", HTMLFormElement).reset()
  for (const selector of ["[data-rows]", "[data-found]", "[data-find-problem]"]) one(selector, HTMLElement).replaceChildren()
  for (const number of all("[data-number]")) number.textContent = "–"
}
