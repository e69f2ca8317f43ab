/** Port: keeps pets. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { IdempotencyKeyReused, PetChanged, PetNotFound, PetReserved, StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { NewPet, Pet, PetCorrection, PetId } from "./pet.js"
import type { PetRevision } from "./pet-revision.js"
import type { PetSearch, PetsFound } from "./pet-search.js"
import type { PetStatus } from "./pet-status.js"

/** Which pets to list: those of one status or all, after an identifier or from the first, at most `limit`. */
export interface PetSelection {
  readonly status: Option.Option<PetStatus>
  readonly after: Option.Option<PetId>
  readonly limit: number
}

/**
 * Why a pet cannot be changed or removed.
 *
 * @experimental
 */
export type PetRefusal = PetNotFound | PetChanged | PetReserved

/**
 * A correction, and the identifier of its pet.
 *
 * @experimental
 */
export type CorrectionOfPet = readonly [petId: PetId, correction: PetCorrection]

/**
 * The result of a correction: `reserved` if a placed order holds the pet and its status would change.
 *
 * @experimental
 */
export type CorrectionOutcome = "done" | "not-found" | "reserved"

/**
 * Keeps pets exactly as given. Its promises are the contract suite in
 * `@petstore/core/testing`; every adapter passes it.
 */
export class PetRepository extends Context.Tag("@petstore/core/PetRepository")<
  PetRepository,
  {
    /**
     * Keeps `name`, `categoryId` and `status` of a new pet, and no other member that the object may have, under an identifier
     * that no pet had before. An absent `status` stays absent. When it succeeds, the pet survives a crash of the process and of
     * the machine; when it fails, the pet may have been kept, once.
     */
    readonly insert: (pet: NewPet) => Effect.Effect<Pet, StorageUnavailable>

    /**
     * Keeps a new pet for a request that may arrive twice. The claim is kept in
     * the same transaction: a repeated request gets the pet of the first one, as it was created. Fails with
     * `IdempotencyKeyReused` if the first one had another fingerprint. While the first one runs, the others wait for it.
     * At most one result for a claim is new, and none if an adapter repeated a statement whose result was lost.
     */
    readonly insertOnce: (
      pet: NewPet,
      claim: IdempotencyClaim,
    ) => Effect.Effect<MadeOnce<Pet>, IdempotencyKeyReused | StorageUnavailable>

    /**
     * Keeps all pets of a stream of batches, or none of them: a failure of the stream, or of the store, leaves nothing behind.
     * Identifiers follow the order of the stream. Returns the number of pets. The store may refuse other writers meanwhile.
     */
    readonly insertAll: <E>(batches: Stream.Stream<ReadonlyArray<NewPet>, E>) => Effect.Effect<number, E | StorageUnavailable>

    /**
     * Replaces the pet, as the caller read it, by `to` with the same identifier, in one step. Fails with `PetNotFound` or
     * `PetChanged` if the pet has changed since, and with `PetReserved` if a placed order holds it and `to` has another status.
     */
    readonly replace: (seen: Pet, to: Pet) => Effect.Effect<void, PetRefusal | StorageUnavailable>

    /**
     * Removes the pet, as the caller read it, in one step like {@link replace}. No other pet gets its identifier, and its orders
     * stay.
     */
    readonly remove: (seen: Pet) => Effect.Effect<void, PetRefusal | StorageUnavailable>

    /**
     * Corrects pets one after the other in one transaction: all that can be corrected or, if the store fails, none. Returns the
     * result of each, in their order.
     */
    readonly correctAll: (
      corrections: ReadonlyArray<CorrectionOfPet>,
    ) => Effect.Effect<ReadonlyArray<CorrectionOutcome>, StorageUnavailable>

    /** The pet with this identifier, if there is one. */
    readonly find: (id: PetId) => Effect.Effect<Option.Option<Pet>, StorageUnavailable>

    /** Selected pets by ascending identifier. The cost depends on `limit`, not on the number of pets. */
    readonly list: (selection: PetSelection) => Effect.Effect<ReadonlyArray<Pet>, StorageUnavailable>

    /**
     * Pets that a search finds, in its order. It reads at most `entriesMaximum` entries of an index, so a search by several
     * filters may find fewer than `limit` pets although there are more: then it returns the place to continue from.
     */
    readonly search: (search: PetSearch) => Effect.Effect<PetsFound, StorageUnavailable>

    /**
     * The revision that a read would now see, or a later one: it includes every commit before the call, also of other processes.
     * So a result that was read after one revision is current while the revision stays the same. It is synchronous and cheap. An
     * adapter returns `None` if it cannot tell: because new pets may appear anywhere, because it costs as much as reading, or
     * because the database is unavailable.
     */
    readonly revision: () => Option.Option<PetRevision>

    /**
     * Runs synchronous work whose reads may share one snapshot, not older than the call. An adapter has it if such reads cost
     * less than single reads. It throws only what `work` throws.
     */
    readonly together?: (work: () => void) => void
  }
>() {}
