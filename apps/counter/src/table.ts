/** Shows the list as a table. Rewrites the table only if the list has changed, and keeps the focus in place. */
import type { Pet } from "@petstore/client"
import { all, make, one } from "@petstore/pages/elements"
import { categoryName } from "./category-names.ts"
import { int64Of } from "./int64.ts"
import type { Question, Row, View } from "./view.ts"

export type Action = "reserve" | "sell" | "complete" | "cancel" | "edit" | "remove"

const titleOf = (name: Action | View): string => name.charAt(0).toUpperCase() + name.slice(1)

const emptyTexts: Readonly<Record<View, string>> = {
  all: "The store has no animals yet. Add the first one.",
  available: "No animal is available.",
  pending: "No animal is pending.",
  sold: "No animal is sold.",
  reserved: "Nothing is reserved. A reserved animal is listed here until its order is completed or cancelled.",
}

const nothingFound = ({ view, text }: Question): string => {
  const number = int64Of(text) === undefined ? "" : ", and none has this identifier"
  const [here, others] = view === "all" ? ["", ""] : [" in this view", " Also look under All."]
  return `No animal${here} has a name with “${text.trim()}”${number}.${others}`
}

/** Makes a cell. On a phone, where a row is a card, the label precedes the value. */
const cell = (label: string, content: string | HTMLElement): HTMLElement => make("td", "", [content], { "data-label": label })

/** The status to show. A pending pet counts as reserved only if an order holds it: staff can edit other pending pets. */
const statusOf = ({ pet: { status }, order }: Row): string => (order === undefined ? (status ?? "none") : "reserved")

const rowsOfButtons = new WeakMap<Element, Row>()

export const choiceOf = (target: EventTarget | null): { button: HTMLButtonElement; action: Action; row: Row } | undefined => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-action]") : null
  const row = button === null ? undefined : rowsOfButtons.get(button)
  // Safe: the table has no other actions.
  return button === null || row === undefined ? undefined : { button, action: button.dataset["action"] as Action, row }
}

/** Returns a row's actions: only those that the service would not refuse. */
const actionsOf = ({ pet, order }: Row): ReadonlyArray<Action> => {
  if (order !== undefined) return ["complete", "cancel", "edit"]
  return pet.status === "available" ? ["sell", "reserve", "edit", "remove"] : ["edit", "remove"]
}

const buttonsOf = (row: Row): HTMLElement => {
  const { pet, order } = row
  const buttons = actionsOf(row).map((action) => {
    const isOfOrder = action === "complete" || action === "cancel"
    const whose = isOfOrder ? `order ${order?.id}, ${pet.name}` : `${pet.name}, ${pet.id}`
    const element = make("button", "secondary", titleOf(action), {
      type: "button",
      "aria-label": `${titleOf(action)} ${whose}`,
      "data-action": action,
      "data-id": String(pet.id),
    })
    rowsOfButtons.set(element, row)
    return element
  })
  return make("div", "actions", buttons)
}

const timeOf = (date: Date): HTMLElement => make("time", "", date.toLocaleString(), { datetime: date.toISOString() })

const lineOf = (view: View, row: Row): HTMLElement => {
  const { pet, order } = row
  return make("tr", "", [
    cell("Identifier", String(pet.id)),
    cell("Name", make("span", "pet-name", pet.name)),
    cell("Category", categoryName(pet.categoryId)),
    ...(view === "reserved" && order !== undefined
      ? [cell("Order", String(order.id)), cell("Reserved", timeOf(order.createdAt))]
      : [cell("Status", make("span", `status-${statusOf(row)}`, statusOf(row)))]),
    cell("Do", buttonsOf(row)),
  ])
}

/** Focuses the same button or the nearest remaining one, for keyboard users. */
const restoreFocus = (action: string | undefined, id: string | undefined, line: number): void => {
  const body = one("[data-rows]", HTMLElement)
  const same = body.querySelector<HTMLElement>(`[data-action="${action}"][data-id="${id}"]`)
  const later = [...body.children].slice(Math.max(line, 0)).map((row) => row.querySelector<HTMLElement>("button"))
  const next = same ?? later.find((button) => button !== null) ?? one("#list-title", HTMLElement)
  next.focus()
}

/** Focuses a row again after a dialog, if the list was rewritten while the dialog was open. */
export const focusLine = (action: Action, { id }: Pet): void => {
  if (document.activeElement === null || document.activeElement === document.body) restoreFocus(action, String(id), 0)
}

/** The question and the rows on the page, as text. */
let shown = ""

export const showRows = (question: Question, rows: ReadonlyArray<Row>): void => {
  const { view, text } = question
  const lines = rows.map((row) => lineOf(view, row))
  const now = [view, text, ...lines.map(({ outerHTML }) => outerHTML)].join("\n")
  if (now === shown) return
  shown = now
  const body = one("[data-rows]", HTMLElement)
  const focused = document.activeElement?.closest<HTMLElement>("[data-rows] [data-action]")
  const focusedLine = [...body.children].findIndex((line) => line.contains(focused ?? null))
  one("[data-caption]", HTMLElement).textContent = `${titleOf(view)} animals${text === "" ? "" : `: ${text}`}`
  const cells = [...(lines[0]?.children ?? [])]
  const titles = cells.map((first) => make("th", "", first.getAttribute("data-label") ?? "", { scope: "col" }))
  one("[data-head]", HTMLElement).replaceChildren(make("tr", "", titles))
  body.replaceChildren(...lines)
  if (focused) restoreFocus(focused.dataset["action"], focused.dataset["id"], focusedLine)
  one("[data-table]", HTMLTableElement).hidden = rows.length === 0
  const empty = one("[data-empty]", HTMLElement)
  empty.hidden = rows.length > 0
  empty.textContent = text === "" ? emptyTexts[view] : nothingFound(question)
}

export const clear = (): void => {
  shown = ""
  one("[data-rows]", HTMLElement).replaceChildren()
  one("[data-said]", HTMLElement).textContent = ""
  for (const number of all("[data-number]")) number.textContent = "–"
}
