/** Keeps what the page shows up to date, and goes to other places. */
import type { Category, Client } from "@petstore/client"
import { sentenceOf } from "./failure.ts"
import { type Line, refreshed, replaced } from "./lines.ts"
import { keepPlace, numberOf, type Place, placeNow, questionOf } from "./place.ts"
import { report } from "./report.ts"
import { type Row, readPets, readRows } from "./rows.ts"
import { isRefused } from "./session.ts"
import { now, update } from "./state.ts"

/** The maximum number of names on the page. A longer select box would be useless. */
const mostNames = 1_000

const collator = new Intl.Collator(undefined, { numeric: true })

/** The pause after a failure, in ms. */
const againMillis = 3_000

let timer: ReturnType<typeof setTimeout> | undefined

/** Whether the next refresh that succeeds replaces the list. A newer refresh may abort the one that was asked to do it. */
let isAnewAsked = false

/** Aborts the current refresh when a newer one replaces it. */
let refreshing = new AbortController()

/** The newest refresh. One that it replaced ends with it, so that a caller finds the page fresh either way. */
let newest: Promise<void> = Promise.resolve()

const readCategories = async (petstore: Client, signal: AbortSignal): Promise<ReadonlyArray<Category>> => {
  const found: Array<Category> = []
  for await (const category of petstore.categories.listAll({}, { signal, maxRetries: 0 })) {
    found.push(category)
    if (found.length === mostNames) break
  }
  return found.sort((one, other) => collator.compare(one.name, other.name))
}

/** The line of an animal, or `undefined` if the store has never had it. One that was removed is as its last change left it. */
const lineNow = async (
  petstore: Client,
  id: bigint,
  rows: ReadonlyArray<Row>,
  signal: AbortSignal,
): Promise<Line | undefined> => {
  const row = rows.find(({ pet }) => pet.id === id)
  if (row !== undefined) return { ...row, isRemoved: false }
  const { value } = await petstore.listChanges({ petId: id, order: "desc" }, { signal })
  const [pet] = value.items.flatMap(({ before, after }) => after?.pet ?? before?.pet ?? [])
  return pet && { pet, isRemoved: true }
}

const readPage = async (): Promise<void> => {
  refreshing.abort()
  clearTimeout(timer)
  const { session, place } = now()
  if (session === undefined) return
  const { petstore } = session
  const own = new AbortController()
  refreshing = own
  const signal = AbortSignal.any([own.signal, session.signal])
  const replacement = () => (refreshing === own ? undefined : newest)
  const question = questionOf(place)
  try {
    const [inventory, categories, page] = await Promise.all([
      petstore.getInventory({ signal, maxRetries: 0 }),
      readCategories(petstore, signal),
      readRows(petstore, place, place.cursors.at(-1), signal),
    ])
    const { lines } = now()
    const here = new Set(page.rows.map(({ pet }) => pet.id))
    const isSame = now().answered === question && !isAnewAsked
    const others = isSame ? lines.lines.map(({ pet }) => pet.id).filter((id) => !here.has(id)) : []
    const searched = page.rows.length === 0 ? numberOf(place) : undefined
    const asked = [...others, ...[place.pet, searched].filter((id) => id !== undefined)]
    const rows = await readPets(petstore, [...new Set(asked)], signal)
    const opened = place.pet === undefined ? undefined : await lineNow(petstore, place.pet, rows, signal)
    const found = searched === undefined ? undefined : await lineNow(petstore, searched, rows, signal)
    if (signal.aborted) return replacement()
    isAnewAsked = false
    update({
      inventory: inventory.value,
      categories,
      answered: question,
      opened,
      removed: found?.isRemoved ? searched : undefined,
      lines: isSame ? refreshed(lines, page, rows) : replaced(lines, page),
      freshAt: new Date(),
      trouble: "",
    })
    if (place.pet === undefined || opened !== undefined) return
    const rest = { ...place, pet: undefined }
    keepPlace(rest, "replace")
    update({ place: rest })
    report(`There is no animal ${place.pet}.`, { kind: "failed" })
  } catch (thrown) {
    if (signal.aborted) return replacement()
    if (isRefused(thrown)) return
    update({ trouble: sentenceOf(thrown) })
    timer = setTimeout(() => void refresh(), againMillis)
  }
}

/**
 * Reads what the page shows. Resolves once the page shows what this refresh, or a newer one, has read.
 *
 * @param isAnew  whether the list may be replaced although the user did not go to another place
 */
export const refresh = ({ isAnew = false } = {}): Promise<void> => {
  isAnewAsked ||= isAnew
  newest = readPage()
  return newest
}

/** Goes to another place. The browser's Back button comes back here, unless the new place stands in for this one. */
export const goTo = (change: Partial<Place>, how: "push" | "replace" = "push"): void => {
  const place = { ...now().place, ...change }
  keepPlace(place, how)
  update({ place })
  void refresh()
}

export const showArrivals = (): void => void refresh({ isAnew: true })

addEventListener("popstate", () => {
  update({ place: placeNow() })
  void refresh()
})
