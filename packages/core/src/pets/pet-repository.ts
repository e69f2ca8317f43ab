import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Actor } from "../changes/actor.js"
import type { IdempotencyKeyReused, PetChanged, PetNotFound, PetReserved, StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { Pet, PetId, PetStatus, ValidNewPet, ValidPetCorrection } from "./pet.js"
import type { PetSearch, PetsFound } from "./pet-search.js"

/** Which pets to list: at most `limit`, optionally with one status, and after an identifier. */
export interface PetSelection {
  readonly status: Option.Option<PetStatus>
  readonly after: Option.Option<PetId>
  readonly limit: number
}

/** Why a pet cannot be changed or removed. @experimental */
export type PetRefusal = PetNotFound | PetChanged | PetReserved

/** A correction, and the identifier of its pet. @experimental */
export type CorrectionOfPet = readonly [petId: PetId, correction: ValidPetCorrection]

/** The result of a correction: `reserved` if a placed order holds the pet and its status would change. @experimental */
export type CorrectionOutcome = "done" | "not-found" | "reserved"

/**
 * Stores pets exactly as given. A store that also has a `ChangeRepository` writes each change, with who made it, in the transaction
 * of the change; other adapters ignore `by`. `@petstore/core/testing` has its contract suite.
 */
export class PetRepository extends Context.Tag("@petstore/core/PetRepository")<
  PetRepository,
  {
    /**
     * Stores the `name`, `categoryId` and `status` of a new pet, and no other members that the object may have, under an
     * identifier that no pet has had before. An absent `status` stays absent. After a success, the pet survives a crash of
     * the process or the machine. After a failure, the pet may have been stored, but at most once.
     */
    readonly insert: (pet: ValidNewPet, by?: Actor) => Effect.Effect<Pet, StorageUnavailable>

    /**
     * Stores a new pet for a request that may arrive twice, and its claim in the same transaction. A repeated request gets the
     * first pet, as it was created. Fails with `IdempotencyKeyReused` if the first request had a different fingerprint. While
     * the first request runs, the other requests wait for it. At most one result for a claim is new. No result is new if an
     * adapter repeated a statement whose result was lost.
     */
    readonly insertOnce: (
      pet: ValidNewPet,
      claim: IdempotencyClaim,
      by?: Actor,
    ) => Effect.Effect<MadeOnce<Pet>, IdempotencyKeyReused | StorageUnavailable>

    /**
     * Stores all the pets in a stream of batches, or none of them if the stream or the store fails. Identifiers follow the
     * order of the stream. Returns the number of pets. The store may refuse other writers while the stream runs.
     */
    readonly insertAll: <E>(
      batches: Stream.Stream<ReadonlyArray<ValidNewPet>, E>,
      by?: Actor,
    ) => Effect.Effect<number, E | StorageUnavailable>

    /**
     * Replaces `seen`, the pet as it was read, with `to`, which has the same identifier, in one atomic step. Fails with
     * `PetNotFound` or `PetChanged` if the pet was removed or has changed since, and with `PetReserved` if a placed order holds
     * the pet and `to` has a different status.
     */
    readonly replace: (seen: Pet, to: Pet, by?: Actor) => Effect.Effect<void, PetRefusal | StorageUnavailable>

    /** Removes `seen`, the pet as it was read, atomically like {@link replace}. No new pet gets its identifier; orders stay. */
    readonly remove: (seen: Pet, by?: Actor) => Effect.Effect<void, PetRefusal | StorageUnavailable>

    /** In one transaction, corrects the pets that it can, in order, or none if the store fails. Returns results in that order. */
    readonly correctAll: (
      corrections: ReadonlyArray<CorrectionOfPet>,
      by?: Actor,
    ) => Effect.Effect<ReadonlyArray<CorrectionOutcome>, StorageUnavailable>

    /** Finds the pet with this identifier, if there is one. */
    readonly find: (id: PetId) => Effect.Effect<Option.Option<Pet>, StorageUnavailable>

    /** Lists the selected pets by ascending identifier. The time depends on `limit`, not on the number of pets. */
    readonly list: (selection: PetSelection) => Effect.Effect<ReadonlyArray<Pet>, StorageUnavailable>

    /**
     * Finds the pets that match a search, in the search's order. A pet is found by the words of its name as soon as it is stored.
     * A search by words or with several filters reads at most `readMaximum` pets, so it may find fewer than `limit` although
     * there are more. The result then contains the identifier after which to continue.
     */
    readonly search: (search: PetSearch) => Effect.Effect<PetsFound, StorageUnavailable>
  }
>() {}
