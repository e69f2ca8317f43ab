/** Use cases of the catalogue: add a pet, get one, list a page. */
import { Effect, Either, Option, type Stream } from "effect"
import { type IdempotencyKeyReused, PetNotFound, type StorageUnavailable } from "../errors.js"
import type { IdempotencyClaim } from "../idempotency.js"
import { int64FromText, isInt64 } from "../json/int64.js"
import type { InvalidParameter } from "../json/invalid-input.js"
import { decodePageRequest, type Page, type PageRequest, pageOf, streamOf } from "../page.js"
import type { NewPet, Pet, PetId } from "./pet.js"
import { PetRepository } from "./pet-repository.js"
import { type PetStatus, petStatuses } from "./pet-status.js"

/**
 * Adds a pet. When it succeeds the pet is kept for good; when it fails with
 * `StorageUnavailable` the pet may have been kept, once.
 *
 * @see specification, section 4.2
 */
export const createPet = (pet: NewPet): Effect.Effect<Pet, StorageUnavailable, PetRepository> =>
  Effect.flatMap(PetRepository, (pets) => pets.insert(pet))

/**
 * Adds a pet for a request that may arrive twice: a repeated one gets the pet of
 * the first. Fails with `IdempotencyKeyReused` if the first one had another body.
 *
 * @see specification, section 12
 */
export const createPetOnce = (
  pet: NewPet,
  claim: IdempotencyClaim,
): Effect.Effect<Pet, IdempotencyKeyReused | StorageUnavailable, PetRepository> =>
  Effect.flatMap(PetRepository, (pets) => pets.insertOnce(pet, claim))

/**
 * Reads the identifier of a pet. A text that is no 64-bit integer in plain decimal names no pet: `PetNotFound`.
 *
 * @example decodePetId("7") // Either.right(7n)
 */
export const decodePetId = (text: string): Either.Either<PetId, PetNotFound> =>
  Either.fromOption(int64FromText(text), () => new PetNotFound({ petId: text }))

/**
 * Gets one pet. Fails with `PetNotFound` when no pet has the identifier, and
 * with `StorageUnavailable` when the store does not answer (safe to try again).
 *
 * @returns  the pet as kept; `status` is absent if it was never given
 * @see      specification, section 4.3
 * @example
 * const { id } = yield* createPet({ name: "Bello", categoryId: 7n })
 * yield* getPet(id) // { id: 1n, name: "Bello", categoryId: 7n }
 */
export const getPet = (petId: PetId): Effect.Effect<Pet, PetNotFound | StorageUnavailable, PetRepository> =>
  isInt64(petId)
    ? Effect.flatMap(PetRepository, (pets) => pets.find(petId)).pipe(
        Effect.flatMap(Option.match({ onNone: () => new PetNotFound({ petId }), onSome: Effect.succeed })),
      )
    : new PetNotFound({ petId })

/** Which page of pets to list. */
export interface PetPageRequest extends PageRequest<PetStatus> {}

/** The name of this list in its cursors. */
const list = "pets"

/**
 * Decodes the query parameters `limit`, `status` and `cursor`. `valuesOf`
 * gives every value of a parameter: one that is repeated, empty, out of range or
 * unknown is an `InvalidParameter`; other parameters are ignored.
 *
 * @example
 * const query = new URLSearchParams("limit=5&status=sold")
 * decodePetPageRequest((name) => query.getAll(name)) // Either.right({ limit: 5, status: Option.some("sold"), after: Option.none() })
 */
export const decodePetPageRequest: (
  valuesOf: (parameter: string) => ReadonlyArray<string>,
) => Either.Either<PetPageRequest, InvalidParameter> = decodePageRequest(list, petStatuses)

/**
 * Lists one page of pets by ascending identifier. Following `next` sees every
 * matching pet that existed when paging began exactly once, whatever is added meanwhile. A pet
 * whose status changes during a filtered walk may or may not be seen.
 *
 * @see specification, section 4.1
 * @example
 * yield* createPet({ name: "Ada", categoryId: 7n })
 * yield* createPet({ name: "Bello", categoryId: 7n })
 * const first = yield* listPets({ limit: 1, status: Option.none(), after: Option.none() })
 * first.items.map(({ name }) => name) // ["Ada"]
 * Option.isSome(first.next) // true
 */
export const listPets = (request: PetPageRequest): Effect.Effect<Page<Pet>, StorageUnavailable, PetRepository> =>
  Effect.flatMap(PetRepository, (pets) =>
    Effect.map(pets.list({ ...request, limit: request.limit + 1 }), (found) => pageOf(list, request, found)),
  )

/**
 * Every pet, or those of one status, by ascending identifier, read as they are taken. Every matching pet that existed
 * when it began comes exactly once, whatever is added meanwhile.
 *
 * @example
 * yield* createPet({ name: "Ada", categoryId: 7n })
 * const names = yield* Stream.runCollect(Stream.map(streamPets(), ({ name }) => name))
 * Array.from(names) // ["Ada"]
 */
export const streamPets = (
  status: Option.Option<PetStatus> = Option.none(),
): Stream.Stream<Pet, StorageUnavailable, PetRepository> =>
  streamOf((after, limit) => Effect.flatMap(PetRepository, (pets) => pets.list({ status, after, limit })))
