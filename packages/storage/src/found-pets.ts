/** Merges an index scan and the pets without a key, read first. A pet that gets its key in between is found twice, not missed. */
import {
  byCodePoint,
  comparePlaces,
  isWanted,
  minInt64,
  type Pet,
  type PetPlace,
  type PetSearch,
  type PetsFound,
  searchKeyOf,
} from "@petstore/core"
import { petOfRow } from "./rows.js"

export interface Placed {
  readonly pet: Pet
  readonly place: PetPlace
}

/** A scan's row as a pet and its position. A scan by key returns the key after `petColumns`, and other scans return no text there. */
export const placedOfRow = (row: unknown): Placed => {
  const pet = petOfRow(row)
  // Safe: every row is an array.
  const key = (row as ReadonlyArray<unknown>)[4]
  return { pet, place: typeof key === "string" ? { id: pet.id, key } : { id: pet.id } }
}

/** The matching pets among those without a key. */
export const besideIndex = (unkeyed: ReadonlyArray<Pet>, search: PetSearch): ReadonlyArray<Placed> => {
  const { after, keys } = search
  const compare = comparePlaces(search)
  return unkeyed.filter(isWanted(search)).flatMap((pet) => {
    const place: PetPlace = keys === undefined ? { id: pet.id } : { id: pet.id, key: searchKeyOf(pet.name) }
    return after === undefined || compare(place, after) > 0 ? [{ pet, place }] : []
  })
}

/** The search key and identifier after which a name search starts. */
export const startOf = ({ from }: { readonly from: string }, after: PetPlace | undefined): Required<PetPlace> =>
  after?.key === undefined || byCodePoint(after.key, from) < 0 ? { key: from, id: minInt64 } : { key: after.key, id: after.id }

/** Returns the predicate for a search's filters except its key range, which the rows of an index scan already match. */
export const passesBeside = ({ keys: _, ...search }: PetSearch): ((pet: Pet) => boolean) => isWanted(search)

/**
 * @param along pets from the index scan, in scan order: one more than the limit, or all the pets found
 * @param end where the scan stopped, if it reached its entry limit
 * @param beside pets without a key
 */
export const pageOfFound = (
  search: PetSearch,
  along: ReadonlyArray<Placed>,
  end: PetPlace | undefined,
  beside: ReadonlyArray<Placed>,
): PetsFound => {
  const compare = comparePlaces(search)
  const walked = new Set(along.map(({ pet }) => pet.id))
  const found =
    beside.length === 0
      ? along
      : [
          ...along,
          ...beside.filter(({ pet, place }) => !walked.has(pet.id) && (end === undefined || compare(place, end) < 0)),
        ].toSorted((one, other) => compare(one.place, other.place))
  const page = found.slice(0, search.limit)
  const next = found.length > search.limit ? page.at(-1)?.place : end
  return { pets: page.map(({ pet }) => pet), ...(next !== undefined && { next }) }
}
