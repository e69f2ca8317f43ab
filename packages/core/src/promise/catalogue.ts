/// <reference lib="esnext.disposable" preserve="true" />
/** The use cases of pets in plain values. */

import type { NewPet, Pet } from "../pets/pet.js"
import type { PetStatus } from "../pets/pet-status.js"
import type { Result } from "./result.js"

/** Which page of a list to answer, `Status` being what it can be filtered by. */
export interface PageQuery<Status extends string> {
  /** Only items of this status; all of them if absent. */
  readonly status?: Status | undefined
  /** At most this many items, 1 to 100; 20 if absent. */
  readonly limit?: number | undefined
  /** Where the page starts: taken from `next`, with the same `status`. */
  readonly cursor?: string | undefined
}

/** One page of a list, by ascending identifier. */
export interface Page<Item, Status extends string> {
  readonly items: ReadonlyArray<Item>
  /** The query of the next page, as it is; absent on the last page. */
  readonly next?: PageQuery<Status> & { readonly cursor: string }
}

/** Every item, or those of one status. */
export type StatusQuery<Status extends string> = Pick<PageQuery<Status>, "status">

/**
 * The operations on the pets of an open store. Their promises resolve to a {@link Result}: an expected failure
 * is in it, typed. They reject only for a bug, in the store or here, and after `close`.
 */
export interface Catalogue {
  /**
   * Adds a pet. It is validated, so one made by hand is safe. When it succeeds the pet is kept for
   * good; after `storage_unavailable` it may have been kept, once.
   *
   * @see specification, section 4.2
   */
  readonly createPet: (pet: NewPet) => Promise<Result<Pet, "invalid_body" | "storage_unavailable">>

  /**
   * Adds a pet once, however often it is called with this key within 24 hours: a repeated call gets the pet of the first, as
   * it was created. Fails with `idempotency_key_reused` if the first one was for another pet, and with `invalid_parameter`
   * for a key that is not 1 to 255 visible ASCII characters without quotes.
   *
   * @see specification, section 12
   */
  readonly createPetOnce: (
    pet: NewPet,
    idempotencyKey: string,
  ) => Promise<Result<Pet, "invalid_body" | "invalid_parameter" | "idempotency_key_reused" | "storage_unavailable">>

  /**
   * Gets one pet.
   *
   * @see specification, section 4.3
   */
  readonly getPet: (petId: bigint) => Promise<Result<Pet, "pet_not_found" | "storage_unavailable">>

  /**
   * Lists one page. Following `next` sees every matching pet that existed when paging began exactly
   * once, whatever is added meanwhile.
   *
   * @see specification, section 4.1
   */
  readonly listPets: (
    query?: PageQuery<PetStatus>,
  ) => Promise<Result<Page<Pet, PetStatus>, "invalid_parameter" | "storage_unavailable">>

  /**
   * Every pet, or those of one status, read as they are taken. Throws an `Error` whose `cause` is the {@link Failure}
   * if the store does not answer, or if the status is none.
   */
  readonly listAllPets: (query?: StatusQuery<PetStatus>) => AsyncGenerator<Pet, void, undefined>

  /** Closes the store. Repeating it is harmless. Every other call rejects from then on. */
  readonly close: () => Promise<void>

  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
