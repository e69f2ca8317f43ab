/** What the list shows: which animals or orders, and which page of them. A page is asked for anew every few seconds. */
import type { Client, Order, Pet, PetStatus } from "@petstore/client"

export type View = "all" | PetStatus | "reserved"

/** One line of the list. */
export type Row =
  | { readonly kind: "animal"; readonly pet: Pet }
  | { readonly kind: "order"; readonly order: Order; readonly pet: Pet }

export interface Rows {
  readonly rows: ReadonlyArray<Row>
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined
}

/** Rows of a page of the list. */
const pageLimit = 20

/** Asks for one page of a view. The animal of an order is looked up once: its name and category never change. */
export const readerOf = (petstore: Client) => {
  const known = new Map<bigint, Pet>()
  const petOf = async (id: bigint, signal: AbortSignal): Promise<Pet> => {
    const pet = known.get(id) ?? (await petstore.getPet(id, { signal }))
    known.set(id, pet)
    return pet
  }

  const orders = async (cursor: string | undefined, signal: AbortSignal, limit: number): Promise<Rows> => {
    const { items, next } = await petstore.orders.list({ status: "placed", limit, cursor }, { signal })
    const rows = await Promise.all(
      items.map(async (order) => ({ kind: "order" as const, order, pet: await petOf(order.petId, signal) })),
    )
    return { rows, next: next?.cursor }
  }

  const animals = async (
    status: PetStatus | undefined,
    cursor: string | undefined,
    signal: AbortSignal,
    limit: number,
  ): Promise<Rows> => {
    const { items, next } = await petstore.listPets({ status, limit, cursor }, { signal })
    return { rows: items.map((pet) => ({ kind: "animal" as const, pet })), next: next?.cursor }
  }

  return (view: View, cursor: string | undefined, signal: AbortSignal, limit = pageLimit): Promise<Rows> =>
    view === "reserved" ? orders(cursor, signal, limit) : animals(view === "all" ? undefined : view, cursor, signal, limit)
}
