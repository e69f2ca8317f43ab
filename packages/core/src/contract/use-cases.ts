import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as categories from "../categories/categories.js"
import { encodeCategories, encodeCategory } from "../categories/category.js"
import { decodeNewCategory } from "../categories/category-decoder.js"
import type { Actor } from "../changes/actor.js"
import { encodeChanges } from "../changes/change.js"
import { decodeChangePageRequest, filtersOfChanges, listChanges, restorePet } from "../changes/changes.js"
import type { Condition } from "../condition.js"
import type { ApiKey } from "../credentials/credential.js"
import { getMe } from "../credentials/me.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import { getInventory } from "../inventory/get-inventory.js"
import type { InvalidBody, InvalidParameter } from "../json/invalid-input.js"
import { encodeOrder, encodeOrders } from "../orders/order.js"
import { decodeNewOrder, decodeOrderChange } from "../orders/order-decoders.js"
import * as orders from "../orders/orders.js"
import type { Filters, Page, ValuesOf } from "../page.js"
import { encodePet, encodePets } from "../pets/pet.js"
import { decodeNewPet, decodePetCorrection } from "../pets/pet-decoders.js"
import * as pets from "../pets/pets.js"
import type { ErrorCode } from "./failures.js"
import type { codesOfEvery, operations } from "./operations.js"
import type { ParameterName } from "./parameters.js"
import type { CodeOf, RequestFailure } from "./request-failure.js"

/** A list. `decode` parses the query parameters, and `filters` returns the filters that are set, without the status. */
export interface ListUseCase<Request, Item, E, R> {
  readonly kind: "list"
  readonly decode: (valuesOf: ValuesOf) => Either.Either<Request, InvalidParameter>
  readonly run: (request: Request) => Effect.Effect<Page<Item, Request>, E, R>
  readonly encode: (items: ReadonlyArray<Item>) => string
  readonly filters: (request: Request) => Filters
}

/** A creation. `decode` parses a JSON body. `runOnce` runs once for each idempotency key. */
export interface CreateUseCase<Given, Made, E, R> {
  readonly kind: "create"
  readonly decode: (json: unknown) => Either.Either<Given, InvalidBody>
  readonly run: (given: Given, by?: Actor) => Effect.Effect<Made, E, R>
  readonly runOnce: (given: Given, claim: IdempotencyClaim, by?: Actor) => Effect.Effect<MadeOnce<Made>, E, R>
  readonly encode: (made: Made) => string
}

/** A read or an action. `decode` parses the identifier in the path, or takes the caller's API key if the request is about that. */
export interface OneUseCase<Id, One, E, R> {
  readonly kind: "read" | "action"
  readonly decode: (text: string, caller: ApiKey) => Either.Either<Id, E>
  readonly run: (id: Id, by?: Actor) => Effect.Effect<One, E, R>
  readonly encode: (one: One) => string
}

/** A change to one item. `decodeId` parses the identifier in the path, and `decode` parses a JSON body. */
export interface PatchUseCase<Id, Given, One, E, R> {
  readonly kind: "patch"
  readonly decodeId: (text: string) => Either.Either<Id, E>
  readonly decode: (json: unknown) => Either.Either<Given, InvalidBody>
  readonly run: (id: Id, given: Given, condition?: Condition<One>, by?: Actor) => Effect.Effect<One, E, R>
  readonly encode: (one: One) => string
}

/** A replacement. It reads the same parts of a request as a change, and checks the condition and replaces in one atomic step. */
export interface ReplaceUseCase<Id, Given, One, E, R> extends Omit<PatchUseCase<Id, Given, One, E, R>, "kind" | "run"> {
  readonly kind: "replace"
  readonly run: (
    id: Id,
    given: Given,
    condition?: Condition<One>,
    by?: Actor,
  ) => Effect.Effect<{ readonly value: One; readonly isNew: boolean }, E, R>
}

/** A removal. `encode` writes the current value, so that a condition can be checked against it. */
export interface RemoveUseCase<Id, One, E, R> {
  readonly kind: "remove"
  readonly decodeId: (text: string) => Either.Either<Id, E>
  readonly run: (id: Id, condition?: Condition<One>, by?: Actor) => Effect.Effect<unknown, E, R>
  readonly encode: (one: One) => string
}

// Functions that say the kind. They infer the types of a use case and check that it has all parts of its kind.
const list = <Request, Item, E, R>(useCase: Omit<ListUseCase<Request, Item, E, R>, "kind">) =>
  ({ kind: "list", ...useCase }) as const
const create = <Given, Made, E, R>(useCase: Omit<CreateUseCase<Given, Made, E, R>, "kind">) =>
  ({ kind: "create", ...useCase }) as const
const read = <Id, One, E, R>(useCase: Omit<OneUseCase<Id, One, E, R>, "kind">) => ({ kind: "read", ...useCase }) as const
const action = <Id, One, E, R>(useCase: Omit<OneUseCase<Id, One, E, R>, "kind">) => ({ kind: "action", ...useCase }) as const
const patch = <Id, Given, One, E, R>(useCase: Omit<PatchUseCase<Id, Given, One, E, R>, "kind">) =>
  ({ kind: "patch", ...useCase }) as const
const replace = <Id, Given, One, E, R>(useCase: Omit<ReplaceUseCase<Id, Given, One, E, R>, "kind">) =>
  ({ kind: "replace", ...useCase }) as const
const remove = <Id, One, E, R>(useCase: Omit<RemoveUseCase<Id, One, E, R>, "kind">) => ({ kind: "remove", ...useCase }) as const

const pet = { decodeId: pets.decodePetId, encode: encodePet }
const order = { decode: orders.decodeOrderId, encode: encodeOrder }
const category = { decodeId: categories.decodeCategoryId, encode: encodeCategory }

const all = {
  listPets: list({
    decode: pets.decodePetPageRequest,
    run: pets.listPets,
    encode: encodePets,
    filters: pets.filtersOfPets,
  }),
  createPet: create({
    decode: decodeNewPet,
    run: pets.createPet,
    runOnce: pets.createPetOnce,
    encode: encodePet,
  }),
  getPet: read({ decode: pets.decodePetId, run: pets.getPet, encode: encodePet }),
  correctPet: patch({ ...pet, decode: decodePetCorrection, run: pets.correctPet }),
  removePet: remove({ ...pet, run: pets.removePet }),
  restorePet: action({ decode: pets.decodePetId, run: restorePet, encode: encodePet }),
  listOrders: list({
    decode: orders.decodeOrderPageRequest,
    run: orders.listOrders,
    encode: encodeOrders,
    filters: orders.filtersOfOrders,
  }),
  createOrder: create({
    decode: decodeNewOrder,
    run: orders.createOrder,
    runOnce: orders.createOrderOnce,
    encode: encodeOrder,
  }),
  getOrder: read({ ...order, run: orders.getOrder }),
  completeOrder: action({ ...order, run: orders.completeOrder }),
  cancelOrder: action({ ...order, run: orders.cancelOrder }),
  returnOrder: action({ ...order, run: orders.returnOrder }),
  changeOrder: patch({
    decodeId: orders.decodeOrderId,
    encode: encodeOrder,
    decode: decodeOrderChange,
    run: orders.changeOrder,
  }),
  getInventory: read({ decode: Either.right<string>, run: () => getInventory, encode: JSON.stringify }),
  me: read({ decode: (_text: string, caller: ApiKey) => Either.right(caller), run: getMe, encode: JSON.stringify }),
  listCategories: list({
    decode: categories.decodeCategoryPageRequest,
    run: categories.listCategories,
    encode: encodeCategories,
    filters: () => [],
  }),
  getCategory: read({ decode: categories.decodeCategoryId, run: categories.getCategory, encode: encodeCategory }),
  replaceCategory: replace({ ...category, decode: decodeNewCategory, run: categories.replaceCategory }),
  removeCategory: remove({ ...category, run: categories.removeCategory }),
  listChanges: list({
    decode: decodeChangePageRequest,
    run: listChanges,
    encode: encodeChanges,
    filters: filtersOfChanges,
  }),
}

type AnyUseCase = { readonly kind: string; readonly run: (...input: never) => Effect.Effect<unknown, RequestFailure, unknown> }
type AnyDescription = {
  readonly kind: string
  readonly codes: ReadonlyArray<ErrorCode>
  readonly parameters?: ReadonlyArray<ParameterName>
}

/** The failures of an operation that changes something, before the service reads its request. */
type CodesOfChange = "insufficient_scope"

type CodesOfBody = "invalid_parameter" | "invalid_json" | "invalid_body" | "unsupported_content_type" | "body_too_large"

/** The failures that can occur while the service reads a request, before the use case runs. */
type CodesOfReading = {
  readonly list: "invalid_parameter"
  readonly create: CodesOfBody
  readonly patch: CodesOfBody
  readonly replace: CodesOfBody
  readonly remove: "invalid_parameter"
}

type CodesOfJudging<D extends AnyDescription> = D["kind"] extends "list" | "read" ? never : CodesOfChange
/** The failure of a request that waits, before the use case runs again. */
type CodesOfWaiting<D extends AnyDescription> = "wait" extends NonNullable<D["parameters"]>[number] ? "too_many_waiting" : never
type CodesOfRun<U extends AnyUseCase> = CodeOf<Effect.Effect.Error<ReturnType<U["run"]>> & RequestFailure>
type Missing<D extends AnyDescription, U extends AnyUseCase> = Exclude<
  CodesOfRun<U> | CodesOfJudging<D>,
  D["codes"][number] | (typeof codesOfEvery)[number]
>
type Impossible<D extends AnyDescription, U extends AnyUseCase> = Exclude<
  D["codes"][number],
  CodesOfRun<U> | CodesOfJudging<D> | CodesOfWaiting<D> | CodesOfReading[D["kind"] & keyof CodesOfReading]
>

/**
 * For each description, a use case of the same kind. If a use case's failures differ from its description's codes, the type has
 * no values.
 */
export type Agreed<
  Descriptions extends Readonly<Record<string, AnyDescription>>,
  UseCases extends Readonly<Record<string, AnyUseCase>>,
> = {
  readonly [Name in keyof Descriptions]: Name extends keyof UseCases
    ? [Missing<Descriptions[Name], UseCases[Name]>, Impossible<Descriptions[Name], UseCases[Name]>] extends [never, never]
      ? UseCases[Name] & Pick<Descriptions[Name], "kind">
      : {
          readonly missingInItsDescription: Missing<Descriptions[Name], UseCases[Name]>
          readonly neverHappens: Impossible<Descriptions[Name], UseCases[Name]>
        }
    : never
}

/** The use case of each operation. The compiler checks that its failures are exactly the operation's codes. */
export const useCases: Agreed<typeof operations, typeof all> = all
