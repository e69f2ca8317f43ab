/** The port `PetRepository` for adapters written with plain functions and promises. */
import { type Cause, Deferred, Effect, Layer, Option, Stream } from "effect"
import { IdempotencyKeyReused, StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import { type Pet as DomainPet, PetId, type NewPet as ValidNewPet } from "../pets/pet.js"
import { PetRepository, type PetRevision } from "../pets/pet-repository.js"
import type { PetStatus } from "../pets/pet-status.js"
import type { Pet } from "./pet.js"

/** Which pets to list: those of one status or all, with an identifier above `after` or from the first, at most `limit`. */
export interface PromisePetSelection {
  readonly status: PetStatus | undefined
  readonly after: bigint | undefined
  readonly limit: number
}

/**
 * What an adapter has to do. The promises are those of {@link PetRepository}, member by member, and
 * `petRepositoryContract` of `@petstore/core/testing` proves them. A promise that rejects means that the
 * store did not answer: callers see `storage_unavailable`, and the log sees the reason.
 */
export interface PromisePetRepository {
  /** Keeps a new pet under an identifier that no pet had before. When it resolves, the pet is safe. */
  readonly insert: (pet: ValidNewPet) => Promise<Pet>

  /**
   * Keeps a new pet and the claim together, or answers the pet that was kept with the claim before. Claims are the same
   * when `accountId`, `operation` and `key` are, until `expiresAt` of the kept one is not above `claimedAt` of the new one.
   * `"reused"`: the claim is kept with another fingerprint. While the first request of a claim runs, others wait for it.
   */
  readonly insertOnce: (pet: ValidNewPet, claim: IdempotencyClaim) => Promise<Pet | "reused">

  /**
   * Keeps all pets of all batches in their order, or none, and answers how many. If the iterable
   * throws, keep none and reject.
   */
  readonly insertAll: (batches: AsyncIterable<ReadonlyArray<ValidNewPet>>) => Promise<number>

  /** The pet with this identifier; `undefined` if there is none. */
  readonly find: (id: bigint) => Promise<Pet | undefined>

  /** Selected pets by ascending identifier. */
  readonly list: (selection: PromisePetSelection) => Promise<ReadonlyArray<Pet>>

  /** Counters by which a reader knows that nothing changed. Leave it out if the store cannot tell cheaply. */
  readonly revision?: () => PetRevision

  /** Called once, when the store is no longer used. */
  readonly close?: () => Promise<void>
}

/**
 * Makes the port from plain functions, for `openInventory`, for `petRepositoryContract` and for use cases with Effect.
 *
 * @param open  opens the store; called once each time the port is built
 */
export const promisePetRepository = (
  open: () => PromisePetRepository | Promise<PromisePetRepository>,
): Layer.Layer<PetRepository, StorageUnavailable> =>
  Layer.scoped(
    PetRepository,
    Effect.acquireRelease(
      ask(async () => open()),
      ({ close }) => (close === undefined ? Effect.void : Effect.promise(() => close())),
    ).pipe(Effect.map(portOf)),
  )

const ask = <A>(question: () => Promise<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.tryPromise({ try: question, catch: (cause) => new StorageUnavailable({ cause }) })

/** An identifier of more than 64 bits is a bug of the adapter, so it throws. */
const domainPet = (pet: Pet): DomainPet => ({ ...pet, id: PetId.make(pet.id) })

const portOf = (pets: PromisePetRepository) =>
  PetRepository.of({
    insert: (pet) =>
      Effect.map(
        ask(() => pets.insert(pet)),
        domainPet,
      ),
    insertOnce: (pet, claim) =>
      Effect.flatMap(
        ask(() => pets.insertOnce(pet, claim)),
        (answer): Effect.Effect<DomainPet, IdempotencyKeyReused> =>
          answer === "reused" ? new IdempotencyKeyReused({ key: claim.key }) : Effect.succeed(domainPet(answer)),
      ),
    insertAll: (batches) => insertAll(pets, batches),
    find: (id) =>
      Effect.map(
        ask(() => pets.find(id)),
        (pet) => Option.map(Option.fromNullable(pet), domainPet),
      ),
    list: ({ status, after, limit }) =>
      Effect.map(
        ask(() => pets.list({ status: Option.getOrUndefined(status), after: Option.getOrUndefined(after), limit })),
        (found) => found.map(domainPet),
      ),
    revision: () => Option.fromNullable(pets.revision?.()),
  })

/** A stream that fails keeps its own failure, whatever the adapter makes of it; an interrupted one waits until the adapter has given up. */
const insertAll = <E>(
  pets: PromisePetRepository,
  batches: Stream.Stream<ReadonlyArray<ValidNewPet>, E>,
): Effect.Effect<number, E | StorageUnavailable> =>
  Effect.gen(function* () {
    const stop = yield* Deferred.make<never, "interrupted">()
    let ended: Option.Option<Cause.Cause<E>> = Option.none()
    const observed = Stream.tapErrorCause(batches, (cause) =>
      Effect.sync(() => {
        ended = Option.some(cause)
      }),
    )
    const kept = pets.insertAll(Stream.toAsyncIterable(Stream.interruptWhen(observed, Deferred.await(stop))))
    const settled = Effect.promise(() => kept.catch(() => undefined))
    const outcome = yield* Effect.either(ask(() => kept)).pipe(
      Effect.onInterrupt(() => Effect.zipRight(Deferred.fail(stop, "interrupted"), settled)),
    )
    return yield* Option.match(ended, { onNone: () => outcome, onSome: Effect.failCause })
  })
