import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { compareAndSet } from "../condition.js"
import { IdempotencyKeyReused, PetChanged, PetNotFound, PetReserved, StorageUnavailable } from "../errors.js"
import type { MadeOnce } from "../idempotency.js"
import { isInt64 } from "../json/int64.js"
import { correctedPet, type Pet, type ValidNewPet } from "../pets/pet.js"
import { type CorrectionOfPet, type CorrectionOutcome, type PetRefusal, PetRepository } from "../pets/pet-repository.js"
import type { PromisePetRepository } from "./pet-repository.js"

/**
 * Makes the port from plain functions, for `petRepositoryContract` and for the use cases in Effect. If a function rejects with
 * an error of `storageUnavailable`, the call fails with it. Any other error is a defect. If the adapter's `close` rejects, the
 * layer's release dies with the same error.
 *
 * @param open  opens the store; called once each time the port is built
 */
export const promisePetRepository = (
  open: () => PromisePetRepository | Promise<PromisePetRepository>,
): Layer.Layer<PetRepository, StorageUnavailable> =>
  Layer.scoped(
    PetRepository,
    Effect.acquireRelease(
      attempt(async () => open()),
      ({ close }) => (close === undefined ? Effect.void : Effect.promise(async () => close())),
    ).pipe(Effect.map(portOf)),
  )

/** Calls a function of the adapter. Only a `StorageUnavailable` is a failure; any other error is a bug, and stays a defect. */
const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.tryPromise({ try: call, catch: (thrown) => thrown }).pipe(
    Effect.catchAll((thrown) => (thrown instanceof StorageUnavailable ? thrown : Effect.die(thrown))),
  )

/** Throws for an identifier of more than 64 bits, which is a bug in the adapter. */
const checked = (pet: Pet): Pet => {
  if (!isInt64(pet.id))
    throw new RangeError(`The adapter returned a pet with the identifier ${pet.id}: expected a 64-bit integer.`)
  return pet
}

const refusals = { "not-found": PetNotFound, changed: PetChanged, reserved: PetReserved }

const change = (
  { id: petId }: Pet,
  call: () => ReturnType<PromisePetRepository["remove"]>,
): Effect.Effect<void, PetRefusal | StorageUnavailable> =>
  Effect.flatMap(attempt(call), (outcome) =>
    outcome === "done" ? Effect.void : Effect.fail<PetRefusal>(new refusals[outcome]({ petId })),
  )

const portOf = (pets: PromisePetRepository) =>
  PetRepository.of({
    insert: (pet) => attempt(() => pets.insert(pet)).pipe(Effect.map(checked)),
    insertOnce: (pet, claim) =>
      Effect.flatMap(
        attempt(() => pets.insertOnce(pet, claim)),
        (made): Effect.Effect<MadeOnce<Pet>, IdempotencyKeyReused> =>
          made === "reused"
            ? new IdempotencyKeyReused({ key: claim.key })
            : Effect.succeed({ value: checked(made.value), isNew: made.isNew }),
      ),
    insertAll: (batches) => insertAll(pets, batches),
    replace: (seen, to) => change(seen, () => pets.replace(seen, to)),
    remove: (seen) => change(seen, () => pets.remove(seen)),
    correctAll: (corrections) => Effect.forEach(corrections, (correction) => correctOne(pets, correction)),
    find: (id) => attempt(() => pets.find(id)).pipe(Effect.map((pet) => Option.map(Option.fromNullable(pet), checked))),
    list: ({ status, after, limit }) =>
      attempt(() => pets.list({ status: Option.getOrUndefined(status), after: Option.getOrUndefined(after), limit })).pipe(
        Effect.map((found) => found.map(checked)),
      ),
    search: (search) =>
      attempt(() => pets.search(search)).pipe(Effect.map((found) => ({ ...found, pets: found.pets.map(checked) }))),
  })

/** Plain adapters have no transactions for several pets, so each correction is independent. */
const correctOne = (
  pets: PromisePetRepository,
  [petId, correction]: CorrectionOfPet,
): Effect.Effect<CorrectionOutcome, StorageUnavailable> =>
  compareAndSet<Pet | undefined, CorrectionOutcome, StorageUnavailable, never, StorageUnavailable, never>(
    attempt(() => pets.find(petId)),
    (seen) =>
      seen === undefined
        ? Effect.succeedSome("not-found" as const)
        : Effect.map(
            attempt(() => pets.replace(seen, correctedPet(seen, correction))),
            (outcome) => (outcome === "changed" ? Option.none() : Option.some(outcome)),
          ),
  )

/**
 * If the stream fails, the result is the stream's failure, even if the adapter rejects with another error. If the import is
 * interrupted, waits until the adapter has stopped.
 *
 * Pulls from the stream directly, because `Stream.toAsyncIterable` and `Stream.interruptWhen` would add 9 kB to a bundle.
 */
const insertAll = <E>(
  pets: PromisePetRepository,
  batches: Stream.Stream<ReadonlyArray<ValidNewPet>, E>,
): Effect.Effect<number, E | StorageUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const pull = yield* Stream.toPull(batches)
      let ended: Option.Option<Cause.Cause<E>> = Option.none()
      let isStopped = false
      let pulling: Fiber.Fiber<unknown, unknown> | undefined
      const pulled = async function* () {
        for (;;) {
          const fiber = Effect.runFork(pull)
          pulling = fiber
          const exit = await Effect.runPromise(Fiber.await(fiber))
          if (Exit.isFailure(exit)) {
            ended = Cause.flipCauseOption(exit.cause)
            if (Option.isNone(ended)) return
            throw Cause.squash(ended.value)
          }
          for (const batch of exit.value) {
            yield batch
            if (isStopped) throw new Error("The import was interrupted.")
          }
        }
      }
      const kept = pets.insertAll(pulled())
      const stop = Effect.suspend(() => {
        isStopped = true
        const settled = Effect.promise(() => kept.catch(() => undefined))
        return pulling === undefined ? settled : Effect.zipRight(Fiber.interrupt(pulling), settled)
      })
      const outcome = yield* Effect.exit(attempt(() => kept)).pipe(Effect.onInterrupt(() => stop))
      return yield* Option.match(ended, { onNone: () => outcome, onSome: Effect.failCause })
    }),
  )
