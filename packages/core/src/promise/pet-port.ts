import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Actor } from "../changes/actor.js"
import { compareAndSet } from "../condition.js"
import { IdempotencyKeyReused, PetChanged, PetNotFound, PetReserved, type StorageUnavailable } from "../errors.js"
import type { MadeOnce } from "../idempotency.js"
import { isInt64 } from "../json/int64.js"
import { correctedPet, type Pet, type ValidNewPet } from "../pets/pet.js"
import { type CorrectionOfPet, type CorrectionOutcome, type PetRefusal, PetRepository } from "../pets/pet-repository.js"
import { attempt, opened } from "./attempt.js"
import type { PromisePetRepository } from "./pet-repository.js"

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

/**
 * Makes the port from plain functions, for `petRepositoryContract` and for the use cases in Effect. If a function rejects with
 * an error of `storageUnavailable`, the call fails with it. Any other error is a defect. If the adapter's `close` rejects, the
 * layer's release dies with the same error.
 *
 * @param open  opens the store; called once each time the port is built
 */
export const promisePetRepository = (
  open: () => PromisePetRepository | Promise<PromisePetRepository>,
): Layer.Layer<PetRepository, StorageUnavailable> => opened(open, (pets) => Context.make(PetRepository, petPort(pets)))

export const petPort = (pets: Omit<PromisePetRepository, "close">) =>
  PetRepository.of({
    insert: (pet, by) => attempt(() => pets.insert(pet, by)).pipe(Effect.map(checked)),
    insertOnce: (pet, claim, by) =>
      Effect.flatMap(
        attempt(() => pets.insertOnce(pet, claim, by)),
        (made): Effect.Effect<MadeOnce<Pet>, IdempotencyKeyReused> =>
          made === "reused"
            ? new IdempotencyKeyReused({ key: claim.key })
            : Effect.succeed({ value: checked(made.value), isNew: made.isNew }),
      ),
    insertAll: (batches, by) => insertAll(pets, batches, by),
    replace: (seen, to, by) => change(seen, () => pets.replace(seen, to, by)),
    remove: (seen, by) => change(seen, () => pets.remove(seen, by)),
    correctAll: (corrections, by) => Effect.forEach(corrections, (correction) => correctOne(pets, correction, by)),
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
  by: Actor | undefined,
): Effect.Effect<CorrectionOutcome, StorageUnavailable> =>
  compareAndSet<Pet | undefined, CorrectionOutcome, StorageUnavailable, never, StorageUnavailable, never>(
    attempt(() => pets.find(petId)),
    (seen) =>
      seen === undefined
        ? Effect.succeedSome("not-found" as const)
        : Effect.map(
            attempt(() => pets.replace(seen, correctedPet(seen, correction), by)),
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
  by: Actor | undefined,
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
      const kept = pets.insertAll(pulled(), by)
      const stop = Effect.suspend(() => {
        isStopped = true
        const settled = Effect.promise(() => kept.catch(() => undefined))
        return pulling === undefined ? settled : Effect.zipRight(Fiber.interrupt(pulling), settled)
      })
      const outcome = yield* Effect.exit(attempt(() => kept)).pipe(Effect.onInterrupt(() => stop))
      return yield* Option.match(ended, { onNone: () => outcome, onSome: Effect.failCause })
    }),
  )
