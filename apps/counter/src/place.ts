/** Where the user is: the view, search and page of the list, and the open animal. The address holds all of it. */
import { int64Of } from "./int64.ts"

export const views = ["all", "available", "pending", "sold", "none", "reserved"] as const
export type View = (typeof views)[number]

export interface Place {
  readonly view: View
  /** The search text, or `""` if there is no search. */
  readonly text: string
  readonly category: bigint | undefined
  /** The cursors of the pages up to this one. `undefined` is the first page, or a page that this tab has not read. */
  readonly cursors: ReadonlyArray<string | undefined>
  /** The animal whose page is open over the list. */
  readonly pet: bigint | undefined
}

/** A page number in the address beyond this one is ignored. */
const mostPages = 100_000

export const start: Place = { view: "all", text: "", category: undefined, cursors: [undefined], pet: undefined }

/** The cursors in a state of the browser's history. Another page's state has none. */
const cursorsIn = (state: unknown): Place["cursors"] | undefined => {
  const cursors: unknown = Object(state).cursors
  return Array.isArray(cursors) && cursors.length > 0 ? cursors : undefined
}

export const placeNow = (): Place => {
  const address = new URLSearchParams(location.search)
  const after = address.get("after") ?? undefined
  const page = Number(address.get("page"))
  const known = Number.isInteger(page) && page > 1 && page < mostPages && after !== undefined
  return {
    view: views.find((view) => view === address.get("view")) ?? start.view,
    text: address.get("find") ?? "",
    category: int64Of(address.get("category") ?? ""),
    cursors: cursorsIn(history.state) ?? (known ? [...new Array(page - 1).fill(undefined), after] : start.cursors),
    pet: int64Of(address.get("pet") ?? ""),
  }
}

export const addressOf = ({ view, text, category, cursors, pet }: Place): string => {
  const address = new URLSearchParams()
  const set = (name: string, value: unknown) => address.set(name, String(value))
  if (view !== start.view) set("view", view)
  if (text !== "") set("find", text)
  if (category !== undefined) set("category", category)
  const after = cursors.at(-1)
  if (after !== undefined) {
    set("page", cursors.length)
    set("after", after)
  }
  if (pet !== undefined) set("pet", pet)
  return address.size === 0 ? location.pathname : `?${address}`
}

/** Puts a place into the address, as a new entry of the browser's history or in place of the current one. */
export const keepPlace = (place: Place, how: "push" | "replace"): void => {
  const state = { cursors: place.cursors }
  if (how === "push") history.pushState(state, "", addressOf(place))
  else history.replaceState(state, "", addressOf(place))
}

/** The number that the search asks for. */
export const numberOf = ({ text }: Place): bigint | undefined => int64Of(text.replace(/^#/, ""))

/** The part of a place that decides which rows the list has. */
export const questionOf = ({ view, text, category, cursors }: Place): string =>
  JSON.stringify([view, text, String(category), cursors.length, cursors.at(-1)])
