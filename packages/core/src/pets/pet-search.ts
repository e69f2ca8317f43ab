import type { Pet, PetId, PetStatus } from "./pet.js"
import { byCodePoint, type KeyRange, searchKeyOf } from "./search-key.js"

/** The order of pets by identifier. */
export type PetOrder = "asc" | "desc"

/** The last pet before a page. In a list by name, the place includes the pet's search key. */
export interface PetPlace {
  readonly id: PetId
  readonly key?: string | undefined
}

/** Which pets to find: at most `limit` that match every given filter, optionally after a place. */
export interface PetSearch {
  /** Only pets with one of these identifiers: 1 to 100, without duplicates. */
  readonly id?: ReadonlyArray<PetId>
  readonly status?: PetStatus
  readonly categoryId?: bigint
  /** Only pets whose search keys are in this range, sorted by key in code point order, then by identifier; `order` is `asc`. */
  readonly keys?: KeyRange
  readonly order: PetOrder
  readonly after?: PetPlace
  readonly limit: number
}

/** The pets found, and the place after which there may be more. Even if more pets follow, the result may contain few or none. */
export interface PetsFound {
  readonly pets: ReadonlyArray<Pet>
  readonly next?: PetPlace | undefined
}

/** The maximum number of index entries that a search reads for one page. */
export const entriesMaximum = 10_000

/** Returns the function that sorts pets in the order of a search. */
export const comparePlaces = ({ keys, order }: Pick<PetSearch, "keys" | "order">) => {
  const sign = order === "desc" ? -1 : 1
  const byId = (one: PetPlace, other: PetPlace): number => (one.id < other.id ? -sign : one.id > other.id ? sign : 0)
  return keys === undefined
    ? byId
    : (one: PetPlace, other: PetPlace): number => byCodePoint(one.key ?? "", other.key ?? "") || byId(one, other)
}

export const placeOf = ({ id, name }: Pet, { keys }: Pick<PetSearch, "keys">): PetPlace =>
  keys === undefined ? { id } : { id, key: searchKeyOf(name) }

/** Returns at most `limit` of the pets found. One more pet than `limit` shows that the list continues. */
export const foundOf = (found: ReadonlyArray<Pet>, search: PetSearch): PetsFound => {
  const pets = found.slice(0, search.limit)
  const end = pets.at(-1)
  return end === undefined || found.length <= search.limit ? { pets } : { pets, next: placeOf(end, search) }
}

/** Returns the function that decides whether a pet matches a search's filters. */
export const isWanted = ({ id: ids, status, categoryId, keys }: PetSearch): ((pet: Pet) => boolean) => {
  const wanted = ids === undefined ? undefined : new Set(ids)
  const isNamed = (name: string): boolean => {
    if (keys === undefined) return true
    const key = searchKeyOf(name)
    return byCodePoint(key, keys.from) >= 0 && byCodePoint(key, keys.below) < 0
  }
  return (pet) =>
    (status ?? pet.status) === pet.status &&
    (categoryId ?? pet.categoryId) === pet.categoryId &&
    wanted?.has(pet.id) !== false &&
    isNamed(pet.name)
}

/** Searches all pets: the `PetRepository.search` of an adapter with all pets in memory. */
export const searchAmong = (all: Iterable<Pet>, search: PetSearch): PetsFound => {
  const { after } = search
  const compare = comparePlaces(search)
  const passes = isWanted(search)
  const found = Array.from(all)
    .filter(passes)
    .map((pet) => ({ pet, place: placeOf(pet, search) }))
    .filter(({ place }) => after === undefined || compare(place, after) > 0)
    .toSorted((one, other) => compare(one.place, other.place))
    .map(({ pet }) => pet)
  return foundOf(found, search)
}
