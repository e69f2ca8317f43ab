/** Use case: add many pets, either all or none. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StorageUnavailable } from "../errors.js"
import { InvalidBody } from "../json/invalid-input.js"
import { showJson } from "../json/json.js"
import { checkNewPet } from "./new-pet.js"
import type { NewPet, ValidNewPet } from "./pet.js"
import { PetRepository } from "./pet-repository.js"

/**
 * Adds all the pets in a stream of batches in order, or none of them, and returns their number. Fails with `InvalidBody` if a
 * pet breaks a rule.
 *
 * @example yield* createPets(Stream.make([{ name: "Ada", categoryId: 7n }, { name: "Bello", categoryId: 7n }])) // 2
 */
export const createPets = <E, R>(
  batches: Stream.Stream<ReadonlyArray<NewPet>, E, R>,
): Effect.Effect<number, E | InvalidBody | StorageUnavailable, PetRepository | R> =>
  Effect.flatMap(Effect.zip(PetRepository, Effect.context<R>()), ([pets, context]) =>
    pets.insertAll(
      Stream.provideContext(
        // Does not use `mapEffect`, which would add Effect's concurrency to a bundle: a tenth of its size.
        Stream.mapChunksEffect(batches, (chunk) => Effect.map(Effect.forEach(chunk, checkBatch), Chunk.unsafeFromArray)),
        context,
      ),
    ),
  )

/** JavaScript callers may pass pets instead of batches. */
const checkBatch = (batch: ReadonlyArray<NewPet>): Effect.Effect<ReadonlyArray<ValidNewPet>, InvalidBody> =>
  Array.isArray(batch)
    ? Effect.forEach(batch, checkNewPet)
    : new InvalidBody({
        problems: [{ field: "body", expected: "expected batches, each an array of pets", received: showJson(batch) }],
      })
