/**
 * What a search finds where some pets have no search key yet: along an index, and beside it. Adapters read those beside first: a pet that
 * gets its key in between is found twice, which is seen here, and never not at all.
 */
import {
  byCodePoint,
  comparePlaces,
  entriesMaximum,
  isWanted,
  minInt64,
  type Pet,
  type PetPlace,
  type PetSearch,
  type PetsFound,
  searchKeyOf,
} from "@petstore/core"

/** A pet, and where it is in the list of a search. */
export interface Placed {
  readonly pet: Pet
  readonly place: PetPlace
}

/** The pets that a search wants among those that have no key. */
export const besideIndex = (unkeyed: ReadonlyArray<Pet>, search: PetSearch): ReadonlyArray<Placed> => {
  const { after, keys } = search
  const compare = comparePlaces(search)
  return unkeyed.filter(isWanted(search)).flatMap((pet) => {
    const place: PetPlace = keys === undefined ? { id: pet.id } : { id: pet.id, key: searchKeyOf(pet.name) }
    return after === undefined || compare(place, after) > 0 ? [{ pet, place }] : []
  })
}

/** Behind which search key and identifier a search by name starts. */
export const startOf = ({ from }: { readonly from: string }, after: PetPlace | undefined): Required<PetPlace> =>
  after?.key === undefined || byCodePoint(after.key, from) < 0 ? { key: from, id: minInt64 } : { key: after.key, id: after.id }

/** Whether a row of a walk along an index passes the filters that the index does not. The row has the key that the search asked for. */
export const passesBeside = ({ keys: _, ...search }: PetSearch): ((pet: Pet) => boolean) => isWanted(search)

/**
 * The page of a search.
 *
 * @param along   those along the index, in their order: one more than the limit, or all that the walk came to
 * @param end     where the walk ended, if it ended at the most entries that it may read
 * @param beside  those without a key
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

/** Reads rows along an index until a page is full, or as many as a search may read. */
export const alongIndex = (
  rows: Iterable<Placed>,
  search: PetSearch,
): { readonly along: ReadonlyArray<Placed>; readonly end: PetPlace | undefined } => {
  const passes = passesBeside(search)
  const along: Array<Placed> = []
  let read = 0
  for (const row of rows) {
    read += 1
    if (passes(row.pet) && along.push(row) > search.limit) break
    if (read === entriesMaximum) return { along, end: row.place }
  }
  return { along, end: undefined }
}
