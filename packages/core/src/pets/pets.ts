import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Actor } from "../changes/actor.js"
import { always, type Condition, compareAndSet, meet } from "../condition.js"
import {
  type IdempotencyKeyReused,
  PetNotFound,
  type PetReserved,
  type PreconditionFailed,
  type StorageUnavailable,
} from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import { int64FromText, isInt64 } from "../json/int64.js"
import { type InvalidBody, type InvalidParameter, refused } from "../json/invalid-input.js"
import {
  checkPageRequest,
  decodeDirection,
  decodeOptional,
  decodePageRequest,
  type EveryRequest,
  everyPage,
  type Filters,
  type Page,
  type PageRequest,
  type PartialRequest,
  pageTo,
  readPage,
  showValues,
  streamOf,
  type ValuesOf,
} from "../page.js"
import { portCall, useCase } from "../use-case.js"
import { beginningsOf, wordMaximum } from "./name-words.js"
import {
  correctedPet,
  type NewPet,
  type Pet,
  type PetCorrection,
  type PetId,
  type PetStatus,
  petStatuses,
  type ValidNewPet,
} from "./pet.js"
import { checkNewPet, checkPetCorrection } from "./pet-decoders.js"
import { type PetRefusal, PetRepository } from "./pet-repository.js"
import type { PetFilters } from "./pet-search.js"

/** Makes a call with a pet, which is checked first, a use case. */
const withChecked = <A, E>(
  name: string,
  pet: NewPet,
  call: (pets: typeof PetRepository.Service, checked: ValidNewPet) => Effect.Effect<A, E>,
): Effect.Effect<A, E | InvalidBody, PetRepository> =>
  Either.match(checkNewPet(pet), {
    onLeft: (problem): Effect.Effect<A, E | InvalidBody, PetRepository> => useCase(name, Effect.fail(problem)),
    onRight: (checked) => portCall(name, PetRepository, (pets) => call(pets, checked)),
  })

/**
 * Adds a pet (specification, section 4.2). After a success, the pet is stored durably. After `StorageUnavailable`, it may have
 * been stored, but at most once. Fails with `InvalidBody` if the pet breaks a rule. A pet from `decodeNewPet` is not checked
 * again.
 */
export const createPet = (pet: NewPet, by?: Actor): Effect.Effect<Pet, InvalidBody | StorageUnavailable, PetRepository> =>
  withChecked("createPet", pet, (pets, checked) => pets.insert(checked, by))

/**
 * Adds a pet for a request that may arrive twice (specification, section 12). A repeated request gets the first pet. Fails with
 * `IdempotencyKeyReused` if the first request had a different body, and with `InvalidBody` as `createPet` does.
 */
export const createPetOnce = (
  pet: NewPet,
  claim: IdempotencyClaim,
  by?: Actor,
): Effect.Effect<MadeOnce<Pet>, IdempotencyKeyReused | InvalidBody | StorageUnavailable, PetRepository> =>
  withChecked("createPetOnce", pet, (pets, checked) => pets.insertOnce(checked, claim, by))

/**
 * Parses a pet's identifier. Fails with `PetNotFound` for text that is not a 64-bit integer in plain decimal.
 *
 * @example decodePetId("7") // Either.right(7n)
 */
export const decodePetId = (text: string): Either.Either<PetId, PetNotFound> =>
  Either.fromOption(int64FromText(text), () => new PetNotFound({ petId: text }))

/**
 * Gets one pet (specification, section 4.3). Its `status` is absent if the pet has none. Fails with `PetNotFound`, or with
 * `StorageUnavailable`, after which it is safe to try again.
 *
 * @example
 * const { id } = yield* createPet({ name: "Bello", categoryId: 7n })
 * yield* getPet(id) // { id: 1n, name: "Bello", categoryId: 7n }
 */
export const getPet = (petId: PetId): Effect.Effect<Pet, PetNotFound | StorageUnavailable, PetRepository> =>
  useCase(
    "getPet",
    isInt64(petId)
      ? Effect.flatMap(PetRepository, (pets) => pets.find(petId)).pipe(
          Effect.flatMap(Option.match({ onNone: () => new PetNotFound({ petId }), onSome: Effect.succeed })),
        )
      : new PetNotFound({ petId }),
  )

const changePet = <A>(
  petId: PetId,
  condition: Condition<Pet>,
  change: (seen: Pet, pets: PetRepository["Type"]) => Effect.Effect<A, PetRefusal | StorageUnavailable>,
): Effect.Effect<A, PetNotFound | PreconditionFailed | PetReserved | StorageUnavailable, PetRepository> =>
  compareAndSet(getPet(petId), (seen) =>
    Effect.zipRight(
      meet(condition, Option.some(seen)),
      Effect.flatMap(PetRepository, (pets) => change(seen, pets)),
    ).pipe(
      Effect.asSome,
      Effect.catchTag("PetChanged", () => Effect.succeedNone),
    ),
  )

/**
 * Corrects a pet, and returns the result (specification, section 4.9). Fails with `InvalidBody`, with `PetNotFound`, with
 * `PreconditionFailed` if the condition does not hold for the current pet, and with `PetReserved` if a placed order holds the pet
 * and its status would change. The condition and the change are one atomic step.
 *
 * @experimental
 * @example
 * const { id } = yield* createPet({ name: "Belo", categoryId: 7n })
 * yield* correctPet(id, { name: "Bello" }) // { id: 1n, name: "Bello", categoryId: 7n }
 *
 * // Only if the pet is still as it was read:
 * const seen = yield* getPet(id)
 * const isUnchanged = Option.exists<Pet>((pet) => encodePet(pet) === encodePet(seen))
 * yield* correctPet(id, { status: "sold" }, isUnchanged) // { id: 1n, name: "Bello", categoryId: 7n, status: "sold" }
 */
export const correctPet = (
  petId: PetId,
  correction: PetCorrection,
  condition: Condition<Pet> = always,
  by?: Actor,
): Effect.Effect<Pet, InvalidBody | PetNotFound | PreconditionFailed | PetReserved | StorageUnavailable, PetRepository> =>
  useCase(
    "correctPet",
    Effect.flatMap(checkPetCorrection(correction), (checked) =>
      changePet(petId, condition, (seen, pets) => {
        const to = correctedPet(seen, checked)
        return Effect.as(pets.replace(seen, to, by), to)
      }),
    ),
  )

/**
 * Removes a pet (specification, section 4.9): no new pet gets its identifier, and its orders stay. `restorePet` brings it back. Fails as
 * {@link correctPet} does, but with `PetReserved` whenever a placed order holds the pet.
 *
 * @experimental
 * @example
 * const seen = yield* createPet({ name: "Bello", categoryId: 7n })
 * // Only if the pet is still as it was read:
 * yield* removePet(seen.id, Option.exists((pet) => encodePet(pet) === encodePet(seen)))
 */
export const removePet = (
  petId: PetId,
  condition: Condition<Pet> = always,
  by?: Actor,
): Effect.Effect<void, PetNotFound | PreconditionFailed | PetReserved | StorageUnavailable, PetRepository> =>
  useCase(
    "removePet",
    changePet(petId, condition, (seen, pets) => pets.remove(seen, by)),
  )

/** Which page of pets to list. In a request to {@link listPets}, every member is optional. */
export interface PetPageRequest extends PageRequest<PetStatus>, PetFilters {}

const idsMaximum = 100

const decodeIds = (valuesOf: ValuesOf): Either.Either<ReadonlyArray<PetId> | undefined, InvalidParameter> => {
  const values = valuesOf("id")
  if (values.length === 0) return Either.right(undefined)
  const ids = new Set(Option.getOrUndefined(Option.all(values.map(int64FromText))))
  return ids.size > 0 && ids.size <= idsMaximum
    ? Either.right([...ids].toSorted((one, other) => (one < other ? -1 : 1)))
    : refused("id", `expected 1 to ${idsMaximum} different 64-bit integers in plain decimal`, showValues(values))
}

const decodeName = (text: string): Option.Option<string> => {
  const isText = text.isWellFormed() && !text.includes("\0") && [...text].length <= wordMaximum
  return isText && beginningsOf(text).length > 0 ? Option.some(text) : Option.none()
}

const decodeFilters = (valuesOf: ValuesOf): Either.Either<PetFilters, InvalidParameter> => {
  const ids = decodeIds(valuesOf)
  if (Either.isLeft(ids)) return Either.left(ids.left)
  const categoryId = decodeOptional(valuesOf, "categoryId", "expected one 64-bit integer in plain decimal", int64FromText)
  if (Either.isLeft(categoryId)) return Either.left(categoryId.left)
  const name = decodeOptional(valuesOf, "name", `expected 1 to ${wordMaximum} characters with a letter or digit`, decodeName)
  if (Either.isLeft(name)) return Either.left(name.left)
  const bare = valuesOf("withoutStatus")
  if (bare.length > 0 && (bare.length > 1 || bare[0] !== "true" || valuesOf("status").length > 0)) {
    return refused("withoutStatus", "expected true, and no status beside it", showValues(bare))
  }
  return Either.map(decodeDirection(valuesOf), (direction) => ({
    ...(ids.right !== undefined && { id: ids.right }),
    ...(Option.isSome(categoryId.right) && { categoryId: categoryId.right.value }),
    ...(Option.isSome(name.right) && { name: name.right.value }),
    ...(bare.length > 0 && { withoutStatus: true }),
    ...direction,
  }))
}

/** The filters as given, as a link repeats them. */
export const filtersOfPets = ({ id: ids, categoryId, name, withoutStatus, order }: PetFilters): Filters => [
  ...(ids ?? []).map((id) => ["id", String(id)] as const),
  ...(categoryId === undefined ? [] : [["categoryId", String(categoryId)] as const]),
  ...(name === undefined ? [] : [["name", name] as const]),
  ...(withoutStatus === undefined ? [] : [["withoutStatus", "true"] as const]),
  ...(order === undefined ? [] : [["order", order] as const]),
]

/** What the filters mean: names with the same words find the same pets, so a cursor for one is valid for the others. */
const meaningOf = (filters: PetFilters): Filters =>
  filtersOfPets(filters.name === undefined ? filters : { ...filters, name: beginningsOf(filters.name).join(" ") })

const rules = {
  list: "pets",
  statuses: petStatuses,
  decode: decodeFilters,
  filters: meaningOf,
}

/**
 * Decodes the query parameters `limit`, `status`, `withoutStatus`, `id`, `categoryId`, `name`, `order` and `cursor`. `valuesOf`
 * returns every value of a parameter. Fails with `InvalidParameter` if a value is repeated (except for `id`), empty, out of range or unknown.
 * Other parameters are ignored. The identifiers are returned in ascending order, without duplicates.
 *
 * @example
 * const query = new URLSearchParams("limit=5&status=sold")
 * decodePetPageRequest((name) => query.getAll(name)) // Either.right({ limit: 5, status: Option.some("sold"), after: Option.none() })
 */
export const decodePetPageRequest: (valuesOf: ValuesOf) => Either.Either<PetPageRequest, InvalidParameter> =
  decodePageRequest(rules)

/**
 * Lists one page of pets by ascending identifier, unless `order` says otherwise (specification, section 4.1). Following `next` returns every matching pet that existed at the start exactly
 * once, even if new pets are added meanwhile. A pet that changes during filtered paging may or may not appear. With `name` or
 * several filters, a page may be short or empty and still have a next page. Fails with `InvalidParameter` for an invalid request.
 *
 * @example
 * yield* createPet({ name: "Ada", categoryId: 7n })
 * yield* createPet({ name: "Bello", categoryId: 7n })
 * const first = yield* listPets({ limit: 1 })
 * first.items.map(({ name }) => name) // ["Ada"]
 * const second = yield* listPets(yield* first.next)
 * second.items.map(({ name }) => name) // ["Bello"]
 */
export const listPets = (
  given?: PartialRequest<PetPageRequest>,
): Effect.Effect<Page<Pet, PetPageRequest>, InvalidParameter | StorageUnavailable, PetRepository> =>
  useCase(
    "listPets",
    Effect.flatMap(Effect.zip(checkPageRequest(rules, given), PetRepository), ([request, pets]) => {
      const filters = meaningOf(request)
      if (filters.length === 0) return readPage(rules, request, filters, pets)
      const { id, categoryId, name, withoutStatus, order = "asc", status, after, limit } = request
      const search = {
        ...(id !== undefined && { id }),
        ...(Option.isSome(status) && { status: status.value }),
        ...(withoutStatus === true && { status: null }),
        ...(categoryId !== undefined && { categoryId }),
        ...(name !== undefined && { words: beginningsOf(name) }),
        ...(Option.isSome(after) && { after: after.value }),
        order,
        limit,
      }
      return Effect.map(pets.search(search), (found) => pageTo(rules, request, filters, found.pets, found.next))
    }),
  )

/**
 * Streams every pet, or those that match the filters, page by page, in the order of {@link listPets}. Every matching pet that
 * existed at the start occurs exactly once, even if new pets are added meanwhile. Fails with `InvalidParameter` for an invalid
 * filter.
 *
 * @example
 * yield* createPet({ name: "Ada", categoryId: 7n })
 * const names = yield* Stream.runCollect(Stream.map(streamPets({ name: "a" }), ({ name }) => name))
 * Array.from(names) // ["Ada"]
 */
export const streamPets = (
  filters?: EveryRequest<PetPageRequest>,
): Stream.Stream<Pet, InvalidParameter | StorageUnavailable, PetRepository> => streamOf(listPets, { ...filters, ...everyPage })
