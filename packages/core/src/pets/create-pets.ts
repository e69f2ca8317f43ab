/** Use case: add many pets, either all or none. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { StorageUnavailable } from "../errors.js"
import { InvalidBody } from "../json/invalid-input.js"
import { showJson } from "../json/json.js"
import { checkNewPet } from "./new-pet.js"
import type { NewPet, ValidNewPet } from "./pet.js"
import { PetRepository } from "./pet-repository.js"

/**
 * Adds all the pets in a stream of batches in order, or none of them, and returns their number. Fails with `InvalidBody` if a
 * pet breaks a rule. The problem names the pet by its index over all batches, which starts at 0: `pets[537].name`.
 *
 * @example yield* createPets(Stream.make([{ name: "Ada", categoryId: 7n }, { name: "Bello", categoryId: 7n }])) // 2
 */
export const createPets = <E, R>(
  batches: Stream.Stream<ReadonlyArray<NewPet>, E, R>,
): Effect.Effect<number, E | InvalidBody | StorageUnavailable, PetRepository | R> =>
  Effect.flatMap(Effect.zip(PetRepository, Effect.context<R>()), ([pets, context]) =>
    pets.insertAll(
      Stream.suspend(() => {
        const check = batchChecker()
        return Stream.provideContext(
          // Does not use `mapEffect`, which would add Effect's concurrency to a bundle: a tenth of its size.
          Stream.mapChunksEffect(batches, (chunk) => Effect.map(Effect.forEach(chunk, check), Chunk.unsafeFromArray)),
          context,
        )
      }),
    ),
  )

/** Makes a function that checks the batches of one stream, and counts their pets. JavaScript callers may pass pets instead. */
const batchChecker = (): ((batch: ReadonlyArray<NewPet>) => Effect.Effect<ReadonlyArray<ValidNewPet>, InvalidBody>) => {
  let index = 0
  return (batch) =>
    Array.isArray(batch)
      ? Effect.forEach(batch, (pet: NewPet) => Either.mapLeft(checkNewPet(pet), inPet(index++)))
      : new InvalidBody({
          problems: [{ field: "body", expected: "expected batches, each an array of pets", received: showJson(batch) }],
        })
}

/** Adds the pet's index to the fields of its problems. */
const inPet =
  (index: number) =>
  ({ problems }: InvalidBody): InvalidBody =>
    new InvalidBody({
      problems: problems.map(({ field, ...rest }) => ({
        field: field === "body" ? `pets[${index}]` : `pets[${index}].${field}`,
        ...rest,
      })),
    })
