/** Reads the list's views, with their filters and pages. The current page is requested again every few seconds. */
import type { Client, Order, Pet, PetQuery, PetStatus } from "@petstore/client"
import { wordsOf } from "@petstore/core"
import { int64Of } from "./int64.ts"

export type View = "all" | PetStatus | "reserved"

/** The user's search and filter. */
export interface Question {
  readonly view: View
  /** The search text, or `""` if there is no search. */
  readonly text: string
}

export interface Row {
  readonly pet: Pet
  /** The placed order that holds the pet. */
  readonly order?: Order | undefined
}

export interface Rows {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | undefined
}

const pageLimit = 20

/** The size of the service's largest page. */
const largestPage = 100

/** The length of the longest search text that the service accepts, in code points. */
const searchedLength = 64

/** Returns the text to search for. Returns `undefined`, for no filter, if the text has no word. */
const searched = (text: string): string | undefined => {
  const name = [...text.trim()].slice(0, searchedLength).join("")
  return wordsOf(name).length === 0 ? undefined : name
}

/** Loads one page of a view. */
export const readRows = async (
  petstore: Client,
  { view, text }: Question,
  cursor: string | undefined,
  signal: AbortSignal,
  limit = pageLimit,
): Promise<Rows> => {
  const name = searched(text)

  /** Adds the orders that hold pending pets. If there are few reservations, one request finds all of them. */
  const withOrders = async (pets: ReadonlyArray<Pet>): Promise<ReadonlyArray<Row>> => {
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

  /** Lists the reservations, oldest first. */
  const reserved = async (from: string | undefined): Promise<Rows> => {
    const { value: orders } = await petstore.orders.list({ status: "placed", limit, cursor: from }, { signal })
    const { items, next } = orders
    if (items.length === 0) return { rows: [], next: next?.cursor }
    const { value: pets } = await petstore.listPets({ id: items.map(({ petId }) => petId), limit }, { signal })
    const byId = new Map(pets.items.map((pet) => [pet.id, pet]))
    // If an order was closed between the two responses, its pet may already have been removed.
    const rows = items.flatMap((order) => {
      const pet = byId.get(order.petId)
      return pet === undefined ? [] : [{ pet, order }]
    })
    return { rows, next: next?.cursor }
  }

  const animals = async (from: string | undefined): Promise<Rows> => {
    const isReserved = view === "reserved"
    const status = view === "all" ? undefined : isReserved ? "pending" : view
    const id = name === undefined ? undefined : int64Of(name)
    const query: PetQuery = { status, limit, name, order: "desc" }
    const [byId, byName] = await Promise.all([
      id === undefined || from !== undefined ? undefined : petstore.listPets({ id: [id], status }, { signal }),
      petstore.listPets({ ...query, cursor: from }, { signal }),
    ])
    const pets = [...(byId?.value.items ?? []), ...byName.value.items.filter((pet) => pet.id !== id)]
    const rows = await withOrders(pets)
    return { rows: isReserved ? rows.filter(({ order }) => order !== undefined) : rows, next: byName.value.next?.cursor }
  }

  const readPage = view === "reserved" && name === undefined ? reserved : animals
  let page = await readPage(cursor)
  // With a name or several filters, a page may be empty although it is not the last page.
  while (page.rows.length === 0 && page.next !== undefined) page = await readPage(page.next)
  return page
}
