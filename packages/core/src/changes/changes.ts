import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type CursorExpired, PetNotFound, type StorageUnavailable } from "../errors.js"
import { isInt64 } from "../json/int64.js"
import { type InvalidParameter, refused } from "../json/invalid-input.js"
import { decodeOrderFilters, filtersOfOrders } from "../orders/orders.js"
import {
  decodeLimit,
  decodeOptional,
  decodeStart,
  encodeCursor,
  type Filters,
  filterOf,
  type NextRequest,
  type Page,
  type PageRequest,
  showValues,
  type ValuesOf,
  valuesFrom,
} from "../page.js"
import type { Pet, PetId } from "../pets/pet.js"
import { useCase } from "../use-case.js"
import type { Actor } from "./actor.js"
import type { Change, ChangeFilters, ChangePlace } from "./change.js"
import { ChangeRepository } from "./change-repository.js"

/** Which page of changes to list. @experimental */
export interface ChangePageRequest extends PageRequest<never, ChangePlace>, ChangeFilters {
  /** How long a caller waits if there are no changes, in seconds: 0 to 30, from the oldest only. {@link listChanges} does not wait. */
  readonly wait?: number | undefined
}

/** A request from a program, in which every member is optional. @experimental */
export interface PartialChangeRequest extends ChangeFilters {
  readonly limit?: number | undefined
  readonly after?: Option.Option<ChangePlace> | undefined
}

const list = "changes"

const isPlace = (text: string): boolean => /^[-_0-9A-Za-z]+$/.test(text)

const decodePlace = (text: string): Option.Option<ChangePlace> => (isPlace(text) ? Option.some(text) : Option.none())

const waitMaximum = 30

const decodeWait = (text: string): Option.Option<number> =>
  /^[0-9]{1,2}$/.test(text) && Number(text) <= waitMaximum ? Option.some(Number(text)) : Option.none()

/** The filters as given, as a link repeats them. */
export const filtersOfChanges = ({ wait, ...filters }: ChangePageRequest): Filters => [
  ...filtersOfOrders(filters),
  ...(wait === undefined ? [] : [["wait", String(wait)] as const]),
]

/** Decodes the query parameters `limit`, `petId`, `order`, `wait` and `cursor`, as `decodePetPageRequest` does. @experimental */
export const decodeChangePageRequest = (valuesOf: ValuesOf): Either.Either<ChangePageRequest, InvalidParameter> =>
  Either.gen(function* () {
    const limit = yield* decodeLimit(valuesOf("limit"))
    const filters = yield* decodeOrderFilters(valuesOf)
    const seconds = `expected one whole number from 0 to ${waitMaximum}, in digits`
    const wait = yield* decodeOptional(valuesOf, "wait", seconds, decodeWait)
    if (Option.isSome(wait) && filters.order === "desc")
      return yield* refused("wait", "expected the order asc beside it", showValues(valuesOf("wait")))
    const after = yield* decodeStart(decodePlace, list, filterOf(Option.none(), filtersOfOrders(filters)), valuesOf("cursor"))
    return { limit, status: Option.none(), ...filters, ...(Option.isSome(wait) && { wait: wait.value }), after }
  })

/**
 * Lists one page of changes, from the oldest kept change unless `order` says otherwise (specification, section 16). From the
 * oldest, there always is a next page, also after an empty one: following it sees every later change. The first page from the
 * newest has the request for later changes too. Fails with `CursorExpired` if changes behind the cursor were removed, and with
 * `InvalidParameter` for an invalid request.
 *
 * @experimental
 */
export const listChanges = (
  given: PartialChangeRequest = {},
): Effect.Effect<Page<Change, ChangePageRequest>, InvalidParameter | CursorExpired | StorageUnavailable, ChangeRepository> =>
  useCase(
    "listChanges",
    Effect.gen(function* () {
      const { after = Option.none() } = given
      const decoded = yield* decodeChangePageRequest((name) => (name === "cursor" ? [] : valuesFrom(Reflect.get(given, name))))
      const request: ChangePageRequest = { ...decoded, after }
      const changes = yield* ChangeRepository
      const { petId, order = "asc", limit } = request
      const found = yield* changes.list({ petId, order, after, limit })
      const { order: _, ...upward } = request
      return {
        items: found.changes,
        next: Option.map(Option.fromNullable(found.next), requestFrom(request)),
        ...(found.end !== undefined && { later: requestFrom(upward)(found.end) }),
      }
    }),
  )

const requestFrom =
  (request: ChangePageRequest) =>
  (place: ChangePlace): NextRequest<ChangePageRequest> => {
    const cursor = encodeCursor({ list, filter: filterOf(Option.none(), filtersOfOrders(request)), after: place })
    return { ...request, after: Option.some(place), cursor }
  }

/**
 * Brings back a removed pet under its own identifier, as it was before its removal. A pet that exists stays as it is. Fails with
 * `PetNotFound` if the identifier never had a pet, or if its removal is no longer kept.
 *
 * @experimental
 */
export const restorePet = (petId: PetId, by?: Actor): Effect.Effect<Pet, PetNotFound | StorageUnavailable, ChangeRepository> =>
  useCase(
    "restorePet",
    isInt64(petId) ? Effect.flatMap(ChangeRepository, (changes) => changes.restorePet(petId, by)) : new PetNotFound({ petId }),
  )
