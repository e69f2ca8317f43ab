/** Pets and orders in memory. An item's array index is its identifier minus one. */
import type { Order, Pet, PetId } from "@petstore/core"
import * as Option from "effect/Option"
import type { History } from "./history.js"

export interface Catalogue {
  /** A removed pet's element stays empty. */
  readonly pets: Array<Pet | undefined>
  readonly orders: Array<Order>
  /** The pets that placed orders reserve. */
  readonly reserved: Set<PetId>
  /** The number of changes and removals of pets. */
  changes: number
  readonly history: History
}

/** An identifier's index in an array of `length` elements; -1 if the identifier is out of range. */
export const placeOf = (id: bigint, length: number): number => (id < 1n || id > BigInt(length) ? -1 : Number(id) - 1)

/** At most `limit` array items, after an identifier or from the first item, with a given status or with any status. */
export const selectFrom = <Status, Id extends bigint, A extends { readonly status?: Status }>(
  all: ReadonlyArray<A | undefined>,
  { status, after, limit }: { readonly status: Option.Option<Status>; readonly after: Option.Option<Id>; readonly limit: number },
  isWanted: (one: A) => boolean = () => true,
): Array<A> => {
  const selected: Array<A> = []
  const last = BigInt(all.length)
  const from = Option.match(after, { onNone: () => 0n, onSome: (id) => (id < 0n ? 0n : id > last ? last : id) })
  for (let index = Number(from); index < all.length && selected.length < limit; index += 1) {
    const one = all[index]
    if (one !== undefined && (Option.isNone(status) || one.status === status.value) && isWanted(one)) selected.push(one)
  }
  return selected
}
