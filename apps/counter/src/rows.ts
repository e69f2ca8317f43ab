/** Reads the list's rows, with the view's filters. */
import type { Client, Order, Pet, PetQuery } from "@petstore/client"
import { wordsOf } from "@petstore/core"
import { int64Of } from "./int64.ts"
import type { Place } from "./place.ts"

export interface Row {
  readonly pet: Pet
  /** The placed order that holds the pet. */
  readonly order?: Order | undefined
}

export interface Rows {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | undefined
}

export const pageLimit = 20

/** The size of the service's largest page. */
export const largestPage = 100

/** The length of the longest search text that the service accepts, in code points. */
const searchedLength = 64

/** What a search text means: an identifier (`#12`), words of names, or both (`12`). */
const meaningOf = (text: string): { readonly id: bigint | undefined; readonly name: string | undefined } => {
  if (text.startsWith("#")) {
    const id = int64Of(text.slice(1))
    if (id !== undefined) return { id, name: undefined }
  }
  const name = [...text].slice(0, searchedLength).join("")
  return { id: int64Of(text), name: wordsOf(name).length === 0 ? undefined : name }
}

/** Adds the orders that hold pending pets. If there are few reservations, one request finds all of them. */
const withOrders = async (petstore: Client, pets: ReadonlyArray<Pet>, signal: AbortSignal): Promise<ReadonlyArray<Row>> => {
  const pending = pets.filter(({ status }) => status === "pending")
  if (pending.length === 0) return pets.map((pet) => ({ pet }))
  const { value: orders } = await petstore.orders.list({ status: "placed", limit: largestPage }, { signal })
  const placed = new Map(orders.items.map((order) => [order.petId, order]))
  const others = orders.next === undefined ? [] : pending.filter(({ id }) => !placed.has(id))
  const found = await Promise.all(
    others.map(({ id }) => petstore.orders.list({ status: "placed", petId: id, limit: 1 }, { signal })),
  )
  for (const order of found.flatMap(({ value }) => value.items)) placed.set(order.petId, order)
  return pets.map((pet) => ({ pet, order: placed.get(pet.id) }))
}

/** Reads the rows of these pets. A pet that was removed has none. */
export const readPets = async (
  petstore: Client,
  ids: ReadonlyArray<bigint>,
  signal: AbortSignal,
): Promise<ReadonlyArray<Row>> => {
  if (ids.length === 0) return []
  const { value } = await petstore.listPets({ id: ids, limit: largestPage }, { signal })
  return withOrders(petstore, value.items, signal)
}

/** Reads one page of a view. */
export const readRows = async (
  petstore: Client,
  { view, text, category }: Place,
  cursor: string | undefined,
  signal: AbortSignal,
  limit = pageLimit,
): Promise<Rows> => {
  const { id, name } = meaningOf(text)

  const words = wordsOf(name ?? "")
  /** Whether a text has words that begin with those of the search, as the service decides it for names. */
  const hasWords = (found = ""): boolean => {
    const all = wordsOf(found)
    return name !== undefined && words.every((word) => all.some((other) => other.startsWith(word)))
  }
  const isSearched = name !== undefined || id !== undefined

  /** Lists the reservations, oldest first. The search finds names and notes. */
  const reserved = async (from: string | undefined): Promise<Rows> => {
    const atOnce = isSearched || category !== undefined ? largestPage : limit
    const { value: orders } = await petstore.orders.list({ status: "placed", limit: atOnce, cursor: from }, { signal })
    const { items, next } = orders
    if (items.length === 0) return { rows: [], next: next?.cursor }
    const { value: pets } = await petstore.listPets({ id: items.map(({ petId }) => petId), limit: atOnce }, { signal })
    const byId = new Map(pets.items.map((pet) => [pet.id, pet]))
    // If an order was closed between the two responses, its pet may already have been removed.
    const rows = items.flatMap((order) => {
      const pet = byId.get(order.petId)
      if (pet === undefined || (category !== undefined && pet.categoryId !== category)) return []
      return !isSearched || pet.id === id || hasWords(pet.name) || hasWords(order.note) ? [{ pet, order }] : []
    })
    return { rows, next: next?.cursor }
  }

  const filters: PetQuery =
    view === "all" || view === "reserved"
      ? { categoryId: category }
      : view === "none"
        ? { categoryId: category, withoutStatus: true }
        : { categoryId: category, status: view }

  /** The pets that are reserved with a note that the search finds: those of the newest reservations, if there are many. */
  const noted = async (): Promise<ReadonlyArray<bigint>> => {
    const found: Array<bigint> = []
    if (view !== "all" || name === undefined) return found
    const query = { status: "placed", order: "desc", limit: largestPage } as const
    for await (const { petId, note } of petstore.orders.listAll(query, { signal })) {
      if (hasWords(note)) found.push(petId)
      if (found.length === largestPage) break
    }
    return found
  }

  const animals = async (from: string | undefined): Promise<Rows> => {
    const isOnlyId = id !== undefined && name === undefined
    const [byName, ofNotes] = await Promise.all([
      isOnlyId ? undefined : petstore.listPets({ ...filters, limit, name, order: "desc", cursor: from }, { signal }),
      noted(),
    ])
    // On the first page, these stand before the pets that only their names find.
    const ids = [...(id === undefined ? [] : [id]), ...ofNotes].slice(0, largestPage)
    const isAhead = ids.length > 0 && from === undefined
    const ahead = isAhead
      ? await petstore.listPets({ ...filters, id: ids, limit: largestPage, order: "desc" }, { signal })
      : undefined
    const pets = [...(ahead?.value.items ?? []), ...(byName?.value.items ?? []).filter((pet) => !ids.includes(pet.id))]
    const rows = await withOrders(petstore, pets, signal)
    const next = byName?.value.next?.cursor
    // An order holds the pending pets that are reserved, which have a view of their own.
    return { rows: rows.filter(({ order }) => view !== "pending" || order === undefined), next }
  }

  const readPage = view === "reserved" ? reserved : animals
  let page = await readPage(cursor)
  // With a name or several filters, a page may be empty although it is not the last page.
  while (page.rows.length === 0 && page.next !== undefined) page = await readPage(page.next)
  return page
}
