/// <reference lib="esnext.disposable" preserve="true" />
import type { Batches, NewPet, Pet, PetCorrection, PetStatus } from "../pets/pet.js"
import type { PetFilters } from "../pets/pet-search.js"
import type { OnceResult, Result } from "./result.js"
import type { CallSignal } from "./signal.js"

/** Which page of a list to get; `Status` is the type of its status filter. */
export interface PageQuery<Status extends string> {
  /** Only items with this status; all items if absent. */
  readonly status?: Status | undefined
  /** The maximum number of items, 1 to 100; 20 if absent. */
  readonly limit?: number | undefined
  /** Where the page starts. Copy the cursor from `next`, and keep the same filters. */
  readonly cursor?: string | undefined
}

/** Which page of pets to list. The filters other than `status` are experimental. */
export interface PetQuery extends PageQuery<PetStatus>, PetFilters {}

/** One page of a list. */
export interface Page<Item, Query> {
  readonly items: ReadonlyArray<Item>
  /** The query for the next page, ready to use. Absent on the last page. */
  readonly next?: Query & { readonly cursor: string }
  /** The query for items that are added later, on the first page of a list from the newest that can be followed. */
  readonly later?: Query & { readonly cursor: string }
}

/** Options for a call that creates something once for each idempotency key. */
export interface OnceOptions {
  /** The account that uses the key. Each account has its own keys, and all calls without an `accountId` share one set. */
  readonly accountId?: string | undefined
}

/** A query for all items that match its filters, without paging. */
export type EveryQuery<Query> = Omit<Query, "limit" | "cursor">

type Unchanged = "pet_not_found" | "precondition_failed" | "pet_reserved" | "storage_unavailable"

/**
 * The operations on the pets in an open store. Their promises resolve to a {@link Result}, which contains expected failures as
 * typed values. They reject only because of a bug, after `close`, or if the batches of `createPets` throw.
 */
export interface Catalogue {
  /**
   * Validates and adds a pet (specification, section 4.2). After a success, the pet is stored durably. After
   * `storage_unavailable`, the pet may have been stored, but at most once.
   */
  readonly createPet: (pet: NewPet) => Promise<Result<Pet, "invalid_body" | "storage_unavailable">>

  /**
   * Adds a pet once for all calls with this key within 24 hours (specification, section 12). A repeated call gets the first pet,
   * as it was created. Fails with `idempotency_key_reused` if the first call was for another pet, and with `invalid_parameter`
   * if the key is not 1 to 255 visible ASCII characters without quotes. All calls without an `accountId` share one set of keys.
   */
  readonly createPetOnce: (
    pet: NewPet,
    idempotencyKey: string,
    options?: OnceOptions,
  ) => Promise<OnceResult<Pet, "invalid_body" | "invalid_parameter" | "idempotency_key_reused" | "storage_unavailable">>

  /**
   * Adds all the pets in the batches in order, or none of them, and returns their number. If a pet breaks a rule, the problem
   * names the pet by its index over all batches, from 0: `pets[537].name`. If the iteration throws, the call rejects with the
   * same error.
   */
  readonly createPets: (batches: Batches) => Promise<Result<number, "invalid_body" | "storage_unavailable">>

  /** Gets one pet (specification, section 4.3). */
  readonly getPet: (petId: bigint) => Promise<Result<Pet, "pet_not_found" | "storage_unavailable">>

  /**
   * Corrects a pet, and returns the result (specification, section 4.9). Members that are absent keep their values, and a
   * `status` of `null` removes the status. Fails with `pet_reserved` if a placed order holds the pet and its status would change.
   * Fails with `precondition_failed` if `isExpected` returns false for the current pet. The check and the change are one atomic
   * step.
   *
   * To correct the pet only if it is still as you read it, compare: `(pet) => encodePet(pet) === encodePet(seen)`.
   *
   * @experimental
   */
  readonly correctPet: (
    petId: bigint,
    correction: PetCorrection,
    isExpected?: (pet: Pet) => boolean,
  ) => Promise<Result<Pet, "invalid_body" | Unchanged>>

  /**
   * Removes a pet for good (specification, section 4.9): its identifier is never used again, and its orders stay. Fails with
   * `pet_reserved` if a placed order holds the pet, and with `precondition_failed` as `correctPet` does.
   *
   * To remove the pet only if it is still as you read it, compare: `(pet) => encodePet(pet) === encodePet(seen)`.
   *
   * @experimental
   */
  readonly removePet: (petId: bigint, isExpected?: (pet: Pet) => boolean) => Promise<Result<void, Unchanged>>

  /**
   * Lists one page of pets (specification, section 4.1). Following `next` returns every matching pet that existed at the start
   * exactly once, even if new pets are added meanwhile.
   */
  readonly listPets: (query?: PetQuery) => Promise<Result<Page<Pet, PetQuery>, "invalid_parameter" | "storage_unavailable">>

  /**
   * Iterates over every pet, or those that match the filters. Pages are read as the pets are consumed. If the database is
   * unavailable or a filter is wrong, throws a {@link ListFailed}: see `isListFailed`.
   */
  readonly listAllPets: (query?: EveryQuery<PetQuery>) => AsyncGenerator<Pet, void, undefined>

  /**
   * The same operations with a limit: they reject with the signal's reason as soon as the signal aborts. A write that has begun
   * may still happen.
   *
   * @example await catalogue.within(AbortSignal.timeout(500)).getPet(7n)
   */
  readonly within: (signal: CallSignal) => Catalogue

  /** Closes the store; other operations then reject. Every call returns the same promise, which rejects if closing fails. */
  readonly close: () => Promise<void>

  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
