/** The port `PetRepository` as plain functions and promises, for adapters without Effect. */
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { NewPet, Pet } from "../pets/pet.js"
import type { PetRevision } from "../pets/pet-revision.js"
import type { PetSearch, PetsFound } from "../pets/pet-search.js"
import type { PetStatus } from "../pets/pet-status.js"

/** Which pets to list: those of one status or all, with an identifier above `after` or from the first, at most `limit`. */
export interface PromisePetSelection {
  readonly status: PetStatus | undefined
  readonly after: bigint | undefined
  readonly limit: number
}

/**
 * The port for an adapter. Its promises are those of {@link PetRepository}, member by member, and `petRepositoryContract` of
 * `@petstore/core/testing` proves them. A rejected promise means that the store is unavailable: callers get
 * `storage_unavailable`, and the log the reason.
 */
export interface PromisePetRepository {
  /**
   * Keeps `name`, `categoryId` and `status` of a new pet, and no other member that the object may have, under an identifier
   * that no pet had before. An absent `status` stays absent. When it resolves, the pet is safe.
   */
  readonly insert: (pet: NewPet) => Promise<Pet>

  /**
   * Keeps a new pet and the claim together, or returns the pet that was kept with the claim before, as it was created, and not as
   * new. Claims are the same when `accountId`, `operation` and `key` are, until `expiresAt` of the kept one is not above
   * `claimedAt` of the new one. `"reused"`: the claim is kept with another fingerprint. While the first request of a claim runs,
   * others wait for it.
   */
  readonly insertOnce: (pet: NewPet, claim: IdempotencyClaim) => Promise<MadeOnce<Pet> | "reused">

  /**
   * Keeps all pets of all batches in their order, or none, and returns their number. If the iterable throws, keep none and
   * reject.
   */
  readonly insertAll: (batches: AsyncIterable<ReadonlyArray<NewPet>>) => Promise<number>

  /**
   * Replaces the pet, as the caller read it, by `to` with the same identifier, in one step, and returns `"done"`; `"not-found"`
   * or `"changed"` if the pet has changed since, and `"reserved"` if a placed order holds it and `to` has another status.
   */
  readonly replace: (seen: Pet, to: Pet) => Promise<"done" | "not-found" | "changed" | "reserved">

  /** Removes the pet, as the caller read it, in one step like `replace`. No other pet gets its identifier. */
  readonly remove: (seen: Pet) => Promise<"done" | "not-found" | "changed" | "reserved">

  /** The pet with this identifier; `undefined` if it does not exist. */
  readonly find: (id: bigint) => Promise<Pet | undefined>

  /** Selected pets by ascending identifier. */
  readonly list: (selection: PromisePetSelection) => Promise<ReadonlyArray<Pet>>

  /**
   * Pets that pass every filter of a search, in its order. An adapter with all pets in memory returns `searchAmong(pets,
   * search)`.
   */
  readonly search: (search: PetSearch) => Promise<PetsFound>

  /** Counters that show a reader whether anything changed. Leave it out if the store cannot tell cheaply. */
  readonly revision?: () => PetRevision

  /** Called once, when the store is no longer used. */
  readonly close?: () => Promise<void>
}
