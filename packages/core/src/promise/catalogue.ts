/// <reference lib="esnext.disposable" preserve="true" />
/** The use cases of pets in plain values. */

import type { NewPet, Pet, PetCorrection } from "../pets/pet.js"
import type { PetOrder } from "../pets/pet-search.js"
import type { PetStatus } from "../pets/pet-status.js"
import type { Result } from "./result.js"

/** Which page of a list to get; `Status` is the type of its status filter. */
export interface PageQuery<Status extends string> {
  /** Only items of this status; all of them if absent. */
  readonly status?: Status | undefined
  /** At most this many items, 1 to 100; 20 if absent. */
  readonly limit?: number | undefined
  /** Where the page starts: taken from `next`, with the same filters. */
  readonly cursor?: string | undefined
}

/** Which page of pets to list. The filters beside `status` are experimental. */
export interface PetQuery extends PageQuery<PetStatus> {
  /** Only pets with these identifiers, 1 to 100 of them. */
  readonly id?: ReadonlyArray<bigint> | undefined
  readonly categoryId?: bigint | undefined
  /**
   * Only pets whose names begin with this text, 1 to 64 code points, ignoring case and diacritics: in the order of names, without
   * `order`.
   */
  readonly name?: string | undefined
  /** The order by identifier: `asc` if absent. */
  readonly order?: PetOrder | undefined
}

/** One page of a list. */
export interface Page<Item, Query> {
  readonly items: ReadonlyArray<Item>
  /** The query of the next page, ready to use; absent on the last page. */
  readonly next?: Query & { readonly cursor: string }
}

/** Pets to add, in batches. */
export type Batches = Iterable<ReadonlyArray<NewPet>> | AsyncIterable<ReadonlyArray<NewPet>>

/** Every item, or those that pass the filters of a query. */
export type EveryQuery<Query> = Omit<Query, "limit" | "cursor">

/** Why a pet did not change. */
type Unchanged = "pet_not_found" | "precondition_failed" | "pet_reserved" | "storage_unavailable"

/**
 * The operations on the pets of an open store. Their promises resolve to a {@link Result}: an expected failure
 * is in it, typed. They reject only for a bug, in the store or here, and after `close`.
 */
export interface Catalogue {
  /**
   * Adds a pet, after validation. When it succeeds the pet is kept for
   * good; after `storage_unavailable` it may have been kept, once.
   *
   * @see SPECIFICATION.md, section 4.2
   */
  readonly createPet: (pet: NewPet) => Promise<Result<Pet, "invalid_body" | "storage_unavailable">>

  /**
   * Adds a pet once for all calls with this key within 24 hours: a repeated call gets the pet of the first, as it was created.
   * Fails with `idempotency_key_reused` if the first one was for another pet, and with `invalid_parameter` for a key that is not
   * 1 to 255 visible ASCII characters without quotes.
   *
   * @see SPECIFICATION.md, section 12
   */
  readonly createPetOnce: (
    pet: NewPet,
    idempotencyKey: string,
  ) => Promise<Result<Pet, "invalid_body" | "invalid_parameter" | "idempotency_key_reused" | "storage_unavailable">>

  /**
   * Adds all pets of batches in their order, or none of them; returns their number. Rejects with an error of the iteration.
   */
  readonly createPets: (batches: Batches) => Promise<Result<number, "invalid_body" | "storage_unavailable">>

  /**
   * Gets one pet.
   *
   * @see SPECIFICATION.md, section 4.3
   */
  readonly getPet: (petId: bigint) => Promise<Result<Pet, "pet_not_found" | "storage_unavailable">>

  /**
   * Corrects a pet, and returns the result: absent members stay, and a `status` of `null` removes it. Fails
   * with `pet_reserved` if a placed order holds the pet and its status would change. With `isExpected` it changes only a pet for which
   * that is true, in one step; else it fails with `precondition_failed`.
   *
   * @experimental It may change in a minor release.
   * @see SPECIFICATION.md, section 4.9
   */
  readonly correctPet: (
    petId: bigint,
    correction: PetCorrection,
    isExpected?: (pet: Pet) => boolean,
  ) => Promise<Result<Pet, "invalid_body" | Unchanged>>

  /**
   * Removes a pet for good: its identifier is never used again, and its orders stay. Fails with `pet_reserved` if a placed order holds it.
   *
   * @experimental It may change in a minor release.
   * @see SPECIFICATION.md, section 4.9
   */
  readonly removePet: (petId: bigint, isExpected?: (pet: Pet) => boolean) => Promise<Result<void, Unchanged>>

  /**
   * Lists one page. Following `next` returns every matching pet that existed at the start exactly once, even if others are added
   * meanwhile.
   *
   * @see SPECIFICATION.md, section 4.1
   */
  readonly listPets: (query?: PetQuery) => Promise<Result<Page<Pet, PetQuery>, "invalid_parameter" | "storage_unavailable">>

  /**
   * Every pet, or those that pass filters, read as they are consumed. Throws an `Error` whose `cause` is the {@link Failure}
   * if the database is unavailable, or if a filter is wrong.
   */
  readonly listAllPets: (query?: EveryQuery<PetQuery>) => AsyncGenerator<Pet, void, undefined>

  /** Closes the store. Repeating it is harmless. Every other call rejects from then on. */
  readonly close: () => Promise<void>

  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
