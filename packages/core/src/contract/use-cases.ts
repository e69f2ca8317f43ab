import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as categories from "../categories/categories.js"
import { encodeCategories, encodeCategory } from "../categories/category.js"
import { decodeNewCategory } from "../categories/new-category.js"
import type { Condition } from "../condition.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import { getInventory } from "../inventory/get-inventory.js"
import type { InvalidBody, InvalidParameter } from "../json/invalid-input.js"
import { decodeNewOrder } from "../orders/new-order.js"
import { encodeOrder, encodeOrders } from "../orders/order.js"
import * as orders from "../orders/orders.js"
import type { Filters, Page, ValuesOf } from "../page.js"
import { decodeNewPet } from "../pets/new-pet.js"
import { encodePet, encodePets } from "../pets/pet.js"
import { decodePetCorrection } from "../pets/pet-correction.js"
import * as pets from "../pets/pets.js"
import type { ErrorCode } from "./failures.js"
import type { codesOfEvery, operations } from "./operations.js"
import type { CodeOf, RequestFailure } from "./request-failure.js"

/** A list. `decode` reads the query parameters, and `filters` returns the filters that are set, without the status. */
export interface ListUseCase<Request, Item, E, R> {
  readonly kind: "list"
  readonly decode: (valuesOf: ValuesOf) => Either.Either<Request, InvalidParameter>
  readonly run: (request: Request) => Effect.Effect<Page<Item, Request>, E, R>
  readonly encode: (items: ReadonlyArray<Item>) => string
  readonly filters: (request: Request) => Filters
}

/** A creation. `decode` reads a JSON body. `runOnce` runs once for each idempotency key. */
export interface CreateUseCase<Given, Made, E, R> {
  readonly kind: "create"
  readonly decode: (json: unknown) => Either.Either<Given, InvalidBody>
  readonly run: (given: Given) => Effect.Effect<Made, E, R>
  readonly runOnce: (given: Given, claim: IdempotencyClaim) => Effect.Effect<MadeOnce<Made>, E, R>
  readonly encode: (made: Made) => string
}

/** A read or an action. `decode` reads the identifier in the path. */
export interface OneUseCase<Id, One, E, R> {
  readonly kind: "read" | "action"
  readonly decode: (text: string) => Either.Either<Id, E>
  readonly run: (id: Id) => Effect.Effect<One, E, R>
  readonly encode: (one: One) => string
}

/** A change to one item. `decodeId` reads the identifier in the path, and `decode` reads a JSON body. */
export interface PatchUseCase<Id, Given, One, E, R> {
  readonly kind: "patch"
  readonly decodeId: (text: string) => Either.Either<Id, E>
  readonly decode: (json: unknown) => Either.Either<Given, InvalidBody>
  readonly run: (id: Id, given: Given, condition?: Condition<One>) => Effect.Effect<One, E, R>
  readonly encode: (one: One) => string
}

/** A replacement. It reads the same parts of a request as a change, and checks the condition and replaces in one atomic step. */
export interface ReplaceUseCase<Id, Given, One, E, R> {
  readonly kind: "replace"
  readonly decodeId: (text: string) => Either.Either<Id, E>
  readonly decode: (json: unknown) => Either.Either<Given, InvalidBody>
  readonly run: (
    id: Id,
    given: Given,
    condition?: Condition<One>,
  ) => Effect.Effect<{ readonly value: One; readonly isNew: boolean }, E, R>
  readonly encode: (one: One) => string
}

/** A removal. `encode` writes the current value, so that a condition can be checked against it. */
export interface RemoveUseCase<Id, One, E, R> {
  readonly kind: "remove"
  readonly decodeId: (text: string) => Either.Either<Id, E>
  readonly run: (id: Id, condition?: Condition<One>) => Effect.Effect<unknown, E, R>
  readonly encode: (one: One) => string
}

const pet = {
  ...{
    decodeId: pets.decodePetId,
    decodePage: pets.decodePetPageRequest,
    decodeNew: decodeNewPet,
    decodePatch: decodePetCorrection,
  },
  ...{ encode: encodePet, encodeMany: encodePets, filters: pets.filtersOfPets },
}
const order = {
  ...{ decodeId: orders.decodeOrderId, decodePage: orders.decodeOrderPageRequest, decodeNew: decodeNewOrder },
  ...{ encode: encodeOrder, encodeMany: encodeOrders, filters: orders.filtersOfOrders },
}

const category = {
  ...{ decodeId: categories.decodeCategoryId, decodePage: categories.decodeCategoryPageRequest, decodeNew: decodeNewCategory },
  ...{ encode: encodeCategory, encodeMany: encodeCategories, filters: () => [] },
}

interface Codec<Id, Request, Given, One, E> {
  readonly decodeId: OneUseCase<Id, One, E, never>["decode"]
  readonly decodePage: ListUseCase<Request, One, E, never>["decode"]
  readonly decodeNew: CreateUseCase<Given, One, E, never>["decode"]
  readonly encode: (one: One) => string
  readonly encodeMany: (items: ReadonlyArray<One>) => string
  readonly filters: ListUseCase<Request, One, E, never>["filters"]
}

const list = <Request, Item, E, R>(
  { decodePage, encodeMany, filters }: Pick<Codec<never, Request, never, Item, never>, "decodePage" | "encodeMany" | "filters">,
  run: ListUseCase<Request, Item, E, R>["run"],
): ListUseCase<Request, Item, E, R> => ({ kind: "list", decode: decodePage, run, encode: encodeMany, filters })

const create = <Given, Made, E, R, OnceE, OnceR>(
  { decodeNew, encode }: Pick<Codec<never, never, Given, Made, never>, "decodeNew" | "encode">,
  run: (given: Given) => Effect.Effect<Made, E, R>,
  runOnce: (given: Given, claim: IdempotencyClaim) => Effect.Effect<MadeOnce<Made>, OnceE, OnceR>,
): CreateUseCase<Given, Made, E | OnceE, R | OnceR> => ({ kind: "create", decode: decodeNew, run, runOnce, encode })

const one =
  <const Kind extends "read" | "action">(kind: Kind) =>
  <Id, One, E, R>(
    { decodeId, encode }: Pick<Codec<Id, never, never, One, NoInfer<E>>, "decodeId" | "encode">,
    run: (id: Id) => Effect.Effect<One, E, R>,
  ): OneUseCase<Id, One, E, R> & { readonly kind: Kind } => ({ kind, decode: decodeId, run, encode })

const read = one("read")
const action = one("action")

const patch = <Id, Given, One, E, R>(
  {
    decodeId,
    decodePatch: decode,
    encode,
  }: Pick<Codec<Id, never, never, One, NoInfer<E>>, "decodeId" | "encode"> & {
    readonly decodePatch: PatchUseCase<Id, Given, One, E, R>["decode"]
  },
  run: PatchUseCase<Id, Given, One, E, R>["run"],
): PatchUseCase<Id, Given, One, E, R> => ({ kind: "patch", decodeId, decode, run, encode })

const replace = <Id, Given, One, E, R>(
  { decodeId, decodeNew, encode }: Pick<Codec<Id, never, Given, One, NoInfer<E>>, "decodeId" | "decodeNew" | "encode">,
  run: ReplaceUseCase<Id, Given, One, E, R>["run"],
): ReplaceUseCase<Id, Given, One, E, R> => ({ kind: "replace", decodeId, decode: decodeNew, run, encode })

const remove = <Id, One, E, R>(
  { decodeId, encode }: Pick<Codec<Id, never, never, One, NoInfer<E>>, "decodeId" | "encode">,
  run: RemoveUseCase<Id, One, E, R>["run"],
): RemoveUseCase<Id, One, E, R> => ({ kind: "remove", decodeId, run, encode })

const all = {
  listPets: list(pet, pets.listPets),
  createPet: create(pet, pets.createPet, pets.createPetOnce),
  getPet: read(pet, pets.getPet),
  correctPet: patch(pet, pets.correctPet),
  removePet: remove(pet, pets.removePet),
  listOrders: list(order, orders.listOrders),
  createOrder: create(order, orders.createOrder, orders.createOrderOnce),
  getOrder: read(order, orders.getOrder),
  completeOrder: action(order, orders.completeOrder),
  cancelOrder: action(order, orders.cancelOrder),
  getInventory: read({ decodeId: Either.right, encode: JSON.stringify }, () => getInventory),
  listCategories: list(category, categories.listCategories),
  getCategory: read(category, categories.getCategory),
  replaceCategory: replace(category, categories.replaceCategory),
  removeCategory: remove(category, categories.removeCategory),
}

type AnyUseCase = { readonly kind: string; readonly run: (...input: never) => Effect.Effect<unknown, RequestFailure, unknown> }
type AnyDescription = { readonly kind: string; readonly codes: ReadonlyArray<ErrorCode> }

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
type CodesOfRun<U extends AnyUseCase> = CodeOf<Effect.Effect.Error<ReturnType<U["run"]>> & RequestFailure>
type Missing<D extends AnyDescription, U extends AnyUseCase> = Exclude<
  CodesOfRun<U> | CodesOfJudging<D>,
  D["codes"][number] | (typeof codesOfEvery)[number]
>
type Impossible<D extends AnyDescription, U extends AnyUseCase> = Exclude<
  D["codes"][number],
  CodesOfRun<U> | CodesOfJudging<D> | CodesOfReading[D["kind"] & keyof CodesOfReading]
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
