/** Searches of pets, and how an adapter with all pets in memory runs them. */
import type { Pet, PetId } from "./pet.js"
import type { PetStatus } from "./pet-status.js"
import { byCodePoint, type KeyRange, searchKeyOf } from "./search-key.js"

/** The order of pets by identifier. */
export type PetOrder = "asc" | "desc"

/** The pet before a page; in a list by name, with its search key. */
export interface PetPlace {
  readonly id: PetId
  readonly key?: string
}

/** Which pets to find: those that pass every given filter, after a place or from the first, at most `limit`. */
export interface PetSearch {
  readonly ids?: ReadonlyArray<PetId>
  readonly status?: PetStatus
  readonly categoryId?: bigint
  /** Pets whose search keys are in this range, by search key in code point order and then by ascending identifier; `order` is `asc`. */
  readonly keys?: KeyRange
  readonly order: PetOrder
  readonly after?: PetPlace
  readonly limit: number
}

/**
 * The found pets, and the place after which there may be more. They may be fewer than `limit`, or none, although there are more.
 */
export interface PetsFound {
  readonly pets: ReadonlyArray<Pet>
  readonly next?: PetPlace
}

/** How many entries of an index a search may read for a page. */
export const entriesMaximum = 10_000

/** The order in which a search finds pets. */
export const comparePlaces = ({ keys, order }: Pick<PetSearch, "keys" | "order">) => {
  const sign = order === "desc" ? -1 : 1
  const byId = (one: PetPlace, other: PetPlace): number => (one.id < other.id ? -sign : one.id > other.id ? sign : 0)
  return keys === undefined
    ? byId
    : (one: PetPlace, other: PetPlace): number => byCodePoint(one.key ?? "", other.key ?? "") || byId(one, other)
}

/** Where a pet is in the list of a search. */
export const placeOf = ({ id, name }: Pet, { keys }: Pick<PetSearch, "keys">): PetPlace =>
  keys === undefined ? { id } : { id, key: searchKeyOf(name) }

/** At most `limit` of the found pets; one more shows that there are more. */
export const foundOf = (found: ReadonlyArray<Pet>, search: PetSearch): PetsFound => {
  const pets = found.slice(0, search.limit)
  const end = pets.at(-1)
  return end === undefined || found.length <= search.limit ? { pets } : { pets, next: placeOf(end, search) }
}

/** Whether a pet passes the filters of a search. */
export const isWanted = ({ ids, status, categoryId, keys }: PetSearch): ((pet: Pet) => boolean) => {
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

/** Finds pets among all pets: `PetRepository.search` of an adapter that keeps them in memory. */
export const searchAmong = (all: Iterable<Pet>, search: PetSearch): PetsFound => {
  const { after } = search
  const compare = comparePlaces(search)
  const passes = isWanted(search)
  const found = Array.from(all)
    .filter(passes)
    .map((pet) => ({ pet, place: placeOf(pet, search) }))
    .filter(({ place }) => after === undefined || compare(place, after) > 0)
    .toSorted((one, other) => compare(one.place, other.place))
  return foundOf(
    found.map(({ pet }) => pet),
    search,
  )
}
