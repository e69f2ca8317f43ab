import { hasWords } from "./name-words.js"
import type { Pet, PetId, PetStatus } from "./pet.js"

/** The order of pets by identifier. */
export type PetOrder = "asc" | "desc"

/** The filters for pets, other than their status. @experimental */
export interface PetFilters {
  /** Only pets with one of these 1 to 100 identifiers, in any order. Duplicates count once. */
  readonly id?: ReadonlyArray<PetId> | undefined
  readonly categoryId?: bigint | undefined
  /** Only pets whose names have, for each word of this text of 1 to 64 code points, a word that begins with it: see `wordsOf`. */
  readonly name?: string | undefined
  /** Only pets without a status. Cannot be combined with `status`. */
  readonly withoutStatus?: true | undefined
  /** Ascending by identifier if absent. */
  readonly order?: PetOrder | undefined
}

/** Which pets to find: at most `limit` that match every given filter, optionally after an identifier. */
export interface PetSearch {
  /** Only pets with one of these identifiers: 1 to 100, without duplicates. */
  readonly id?: ReadonlyArray<PetId>
  /** Only pets with this status; `null` for pets without one. */
  readonly status?: PetStatus | null
  readonly categoryId?: bigint
  /** Only pets whose names have, for each of these texts, a word of {@link wordsOf} that begins with it. Never empty. */
  readonly words?: ReadonlyArray<string>
  readonly order: PetOrder
  readonly after?: PetId
  readonly limit: number
}

/**
 * The pets found, and the identifier after which there may be more. Even if more pets follow, the result may contain few or none.
 */
export interface PetsFound {
  readonly pets: ReadonlyArray<Pet>
  readonly next?: PetId | undefined
}

/** The maximum number of pets that a search reads for one page. */
export const readMaximum = 10_000

/** Returns at most `limit` of the pets found. One more pet than `limit` shows that the list continues. */
export const foundOf = (found: ReadonlyArray<Pet>, { limit }: Pick<PetSearch, "limit">): PetsFound => {
  const pets = found.slice(0, limit)
  const end = pets.at(-1)
  return end === undefined || found.length <= limit ? { pets } : { pets, next: end.id }
}

/** Searches all pets: the `PetRepository.search` of an adapter with all pets in memory. */
export const searchAmong = (all: Iterable<Pet>, search: PetSearch): PetsFound => {
  const { id: ids, status, categoryId, words, order, after } = search
  const wanted = ids === undefined ? undefined : new Set(ids)
  const isNamed = words === undefined ? () => true : hasWords(words)
  const found = Array.from(all).filter(
    (pet) =>
      (status === undefined || pet.status === (status ?? undefined)) &&
      (categoryId ?? pet.categoryId) === pet.categoryId &&
      wanted?.has(pet.id) !== false &&
      (after === undefined || (order === "desc" ? pet.id < after : pet.id > after)) &&
      isNamed(pet.name),
  )
  const sign = order === "desc" ? -1 : 1
  return foundOf(
    found.toSorted((one, other) => (one.id < other.id ? -sign : sign)),
    search,
  )
}
