/** Pets and orders in memory. The index of each is its identifier minus one. */
import type { Order, Pet, PetId } from "@petstore/core"
import * as Option from "effect/Option"

export interface Catalogue {
  /** The place of a removed pet stays empty. */
  readonly pets: Array<Pet | undefined>
  readonly orders: Array<Order>
  /** The pets that a placed order holds. */
  readonly reserved: Set<PetId>
  /** The number of changes and removals of pets. */
  changes: number
}

export const emptyCatalogue = (): Catalogue => ({ pets: [], orders: [], reserved: new Set(), changes: 0 })

/** The index of an identifier in an array of `length`; -1 if it is beyond. */
export const placeOf = (id: bigint, length: number): number => (id < 1n || id > BigInt(length) ? -1 : Number(id) - 1)

/** At most `limit` matching items of an array, after an identifier or from the first, of one status or all. */
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
