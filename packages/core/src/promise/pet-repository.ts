import type { Actor } from "../changes/actor.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { Pet, PetStatus, ValidNewPet } from "../pets/pet.js"
import type { PetSearch, PetsFound } from "../pets/pet-search.js"

/** Which pets to list: at most `limit`, optionally with one status, and with identifiers above `after`. */
export interface PromisePetSelection {
  readonly status: PetStatus | undefined
  readonly after: bigint | undefined
  readonly limit: number
}

/**
 * The port for adapters without Effect. Every member makes the promises of {@link PetRepository}, which `petRepositoryContract`
 * in `@petstore/core/testing` tests. If the database is unavailable, reject with `storageUnavailable(cause)`: callers get
 * `storage_unavailable`. Any other rejection is a defect: the caller's promise rejects with the same error. Who makes a change, `by`,
 * is for stores that also have a `PromiseChangeRepository`.
 */
export interface PromisePetRepository {
  /**
   * Stores the `name`, `categoryId` and `status` (if it has one) of a new pet, and no other members, under an identifier that no
   * pet has had before. When the promise resolves, the pet must be stored durably.
   */
  readonly insert: (pet: ValidNewPet, by?: Actor) => Promise<Pet>

  /**
   * Stores a new pet together with its claim. If the claim is already stored, returns its pet as it was created, with `isNew:
   * false`, or `"reused"` if the stored claim has a different fingerprint. Two claims match if their `accountId`,
   * `operation` and `key` are equal and the stored claim's `expiresAt` is after the new claim's `claimedAt`. While the first
   * request with a claim runs, the other requests wait for it.
   */
  readonly insertOnce: (pet: ValidNewPet, claim: IdempotencyClaim, by?: Actor) => Promise<MadeOnce<Pet> | "reused">

  /** Stores all batches' pets in order, or none, and returns their number. If the iterable throws, store nothing and reject. */
  readonly insertAll: (batches: AsyncIterable<ReadonlyArray<ValidNewPet>>, by?: Actor) => Promise<number>

  /**
   * Replaces `seen`, the pet as it was read, with `to`, which has the same identifier, in one atomic step. Returns `"done"`,
   * `"not-found"` if the pet was removed, `"changed"` if the pet has changed since it was read, or `"reserved"` if a placed order
   * holds the pet and `to` has a different status.
   */
  readonly replace: (seen: Pet, to: Pet, by?: Actor) => Promise<"done" | "not-found" | "changed" | "reserved">

  /** Removes `seen`, the pet as it was read, in one atomic step like `replace`. No other pet gets its identifier. */
  readonly remove: (seen: Pet, by?: Actor) => Promise<"done" | "not-found" | "changed" | "reserved">

  /** Returns the pet with this identifier; `undefined` if it does not exist. */
  readonly find: (id: bigint) => Promise<Pet | undefined>

  /** Returns the selected pets by ascending identifier. */
  readonly list: (selection: PromisePetSelection) => Promise<ReadonlyArray<Pet>>

  /** Returns the matching pets in the search's order. With all pets in memory, return `searchAmong(pets, search)`. */
  readonly search: (search: PetSearch) => Promise<PetsFound>

  /**
   * Called once, when the store is no longer in use. If `close` rejects, `catalogue.close()` rejects with the same error. In
   * Effect, the program that used the layer dies with that error.
   */
  readonly close?: (() => Promise<void>) | undefined
}
