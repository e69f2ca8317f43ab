import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Actor } from "../changes/actor.js"
import type { StorageUnavailable } from "../errors.js"
import { InvalidBody } from "../json/invalid-input.js"
import { showJson } from "../json/json.js"
import { useCase } from "../use-case.js"
import type { Batches, NewPet, ValidNewPet } from "./pet.js"
import { checkNewPet } from "./pet-decoders.js"
import { PetRepository } from "./pet-repository.js"

/**
 * Adds all the pets in the batches in order, or none of them, and returns their number. Fails with `InvalidBody` if a pet breaks
 * a rule. The problem names the pet by its index over all batches, from 0: `pets[537].name`. An iterable that throws is a defect;
 * a stream fails with its own failure. A generator can be read only once, so do not run the effect twice.
 *
 * @example
 * yield* createPets([[{ name: "Ada", categoryId: 7n, status: "sold" }, { name: "Bello", categoryId: 7n }]]) // 2
 * yield* createPets(Stream.fromIterable([[{ name: "Coco", categoryId: 7n, status: "sold" }]])) // 1
 */
export const createPets = <E = never, R = never>(
  batches: Stream.Stream<ReadonlyArray<NewPet>, E, R> | Batches,
  by?: Actor,
): Effect.Effect<number, E | InvalidBody | StorageUnavailable, PetRepository | R> =>
  useCase(
    "createPets",
    Effect.flatMap(Effect.zip(PetRepository, Effect.context<R>()), ([pets, context]) =>
      pets.insertAll(
        Stream.suspend(() => {
          const check = batchChecker()
          const stream = Stream.StreamTypeId in batches ? batches : streamOfBatches(batches)
          return Stream.provideContext(
            // Does not use `mapEffect`, which would add Effect's concurrency code, a tenth of a bundle's size.
            Stream.mapChunksEffect(stream, (chunk) => Effect.map(Effect.forEach(chunk, check), Chunk.unsafeFromArray)),
            context,
          )
        }),
        by,
      ),
    ),
  )

/** Streams a program's batches, one by one. An error that the program throws is a defect, and nothing is stored. */
const streamOfBatches = (batches: Batches): Stream.Stream<ReadonlyArray<NewPet>> =>
  Stream.suspend(() => {
    const iterator = (async function* () {
      yield* batches
    })()
    const next = Effect.map(
      Effect.promise(() => iterator.next()),
      ({ done, value }) => (done === true ? Option.none() : Option.some([value, undefined] as const)),
    )
    return Stream.ensuring(
      Stream.unfoldEffect(undefined, () => next),
      Effect.promise(() => iterator.return()),
    )
  })

/** Checks each batch, because JavaScript callers may pass pets instead of batches. */
const batchChecker = (): ((batch: ReadonlyArray<NewPet>) => Effect.Effect<ReadonlyArray<ValidNewPet>, InvalidBody>) => {
  let index = 0
  return (batch) =>
    Array.isArray(batch)
      ? Effect.forEach(batch, (pet: NewPet) => Either.mapLeft(checkNewPet(pet), inPet(index++)))
      : new InvalidBody({
          problems: [{ field: "body", expected: "expected batches, each an array of pets", received: showJson(batch) }],
        })
}

const inPet =
  (index: number) =>
  ({ problems }: InvalidBody): InvalidBody =>
    new InvalidBody({
      problems: problems.map(({ field, ...rest }) => ({
        field: field === "body" ? `pets[${index}]` : `pets[${index}].${field}`,
        ...rest,
      })),
    })
