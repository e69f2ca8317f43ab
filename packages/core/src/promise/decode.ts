import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { decodeCategoryId as categoryIdFrom, decodeCategoryPageRequest } from "../categories/categories.js"
import type { NewCategory } from "../categories/category.js"
import { newCategoryDecoder } from "../categories/category-decoder.js"
import { decodeAuthorization as credentialFrom } from "../contract/authorization.js"
import type { failures } from "../contract/failures.js"
import { decodeIdempotencyKey as idempotencyKeyFrom } from "../contract/idempotency-key.js"
import { type Decoded, type FieldProblem, sentenceOf } from "../json/field-problem.js"
import type { InvalidParameter } from "../json/invalid-input.js"
import { readJson, showJson } from "../json/json.js"
import { notJson } from "../json/json-fault.js"
import type { ObjectDecoder } from "../json/object.js"
import type { NewOrder, Order, ValidOrderChange } from "../orders/order.js"
import { newOrderDecoder, orderChangeDecoder, orderDecoder } from "../orders/order-decoders.js"
import { decodeOrderPageRequest, decodeOrderId as orderIdFrom } from "../orders/orders.js"
import { checkParameterNames, type PageRequest, type ValuesOf, valuesFrom } from "../page.js"
import type { Pet, ValidNewPet, ValidPetCorrection } from "../pets/pet.js"
import { newPetDecoder, petCorrectionDecoder, petDecoder, readPetInText } from "../pets/pet-decoders.js"
import { decodePetPageRequest, decodePetId as petIdFrom } from "../pets/pets.js"
import type { PageQuery, PetQuery } from "./catalogue.js"
import type { OrderQuery } from "./petstore.js"
import type { Failure, Result } from "./result.js"
import { resultOf } from "./result-of.js"

/** JavaScript may pass other values, such as a parameter that the framework did not find. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : showJson(value))

/** The text of a header's value. Frameworks declare different types for it, so the functions that read headers take any value. */
const headerText = (value: unknown): string | undefined => (value === undefined || value === null ? undefined : textOf(value))

// The table of all failures would be a fifth of a bundle that only decodes.
const status = 400 satisfies (typeof failures)["invalid_json" | "invalid_body"]["status"]

const refused = <Code extends "invalid_json" | "invalid_body">(
  code: Code,
  message: string,
  problems: ReadonlyArray<FieldProblem>,
): Failure<Code> =>
  // Safe: both codes have a status, which the compiler cannot infer from a type parameter.
  ({ ok: false, error: { code, message, status }, problems, cause: undefined }) as unknown as Failure<Code>

const decoded = <A>({ value, problems }: Decoded<A>): Result<A, "invalid_body"> =>
  problems === undefined ? { ok: true, value } : refused("invalid_body", sentenceOf(problems), problems)

const parsed = <A>(text: unknown, decoder: ObjectDecoder<A>): Result<A, "invalid_json" | "invalid_body"> => {
  const { value, reason } = readJson(text)
  return reason === undefined ? decoded(decoder.fromJson(value)) : refused("invalid_json", notJson(reason), [])
}

/**
 * Parses a new pet from JSON text. Members that a new pet does not have, such as `id`, are ignored. Fails with `invalid_json`, or
 * with `invalid_body` and every invalid field in `problems` (specification, section 4.2). Takes text, because `JSON.parse`
 * rounds integers past 2^53. Anything else, such as the body that a request did not have, is `invalid_json` too.
 *
 * @example
 * parseNewPet('{"name": "Bello", "categoryId": 9007199254740993}') // { ok: true, value: { name: "Bello", categoryId: 9007199254740993n } }
 */
export const parseNewPet = (text: unknown): Result<ValidNewPet, "invalid_json" | "invalid_body"> => parsed(text, newPetDecoder)

/** Parses a pet with its identifier from JSON text, such as a response body, as {@link parseNewPet} does. */
export const parsePet = (text: unknown): Result<Pet, "invalid_json" | "invalid_body"> => parsed(text, petDecoder)

/**
 * Parses a correction from JSON text, as {@link parseNewPet} does. Members that are absent from a correction keep their values.
 *
 * @experimental
 * @example parsePetCorrection('{"status": null}') // { ok: true, value: { status: null } }
 */
export const parsePetCorrection = (text: unknown): Result<ValidPetCorrection, "invalid_json" | "invalid_body"> =>
  parsed(text, petCorrectionDecoder)

/** Parses a new order from JSON text, as {@link parseNewPet} does. @experimental */
export const parseNewOrder = (text: unknown): Result<NewOrder, "invalid_json" | "invalid_body"> => parsed(text, newOrderDecoder)

/** Parses an order with its identifier from JSON text, as {@link parseNewPet} does. @experimental */
export const parseOrder = (text: unknown): Result<Order, "invalid_json" | "invalid_body"> => parsed(text, orderDecoder)

/** Parses a change to an order from JSON text, as {@link parsePetCorrection} does. @experimental */
export const parseOrderChange = (text: unknown): Result<ValidOrderChange, "invalid_json" | "invalid_body"> =>
  parsed(text, orderChangeDecoder)

/** Parses a category's name from JSON text, as {@link parseNewPet} does. @experimental */
export const parseNewCategory = (text: unknown): Result<NewCategory, "invalid_json" | "invalid_body"> =>
  parsed(text, newCategoryDecoder)

/**
 * Decodes a new pet from a value, such as a request body that a framework has parsed, as {@link parseNewPet} does from text.
 * Refuses numbers past 2^53, because they may be rounded.
 *
 * @example decodeNewPet({ name: "Bello", categoryId: 7 }) // { ok: true, value: { name: "Bello", categoryId: 7n } }
 */
export const decodeNewPet = (json: unknown): Result<ValidNewPet, "invalid_body"> => decoded(newPetDecoder.fromJson(json))

/** Decodes a pet with its identifier from a value, as {@link decodeNewPet} does. */
export const decodePet = (json: unknown): Result<Pet, "invalid_body"> => decoded(petDecoder.fromJson(json))

/** Reads what `petToJson` returned back into a pet, after `JSON.parse`. Fails as {@link decodeNewPet} does. */
export const petFromJson = (json: unknown): Result<Pet, "invalid_body"> => decoded(readPetInText(json))

/** Decodes a correction from a value, as {@link decodeNewPet} does. @experimental */
export const decodePetCorrection = (json: unknown): Result<ValidPetCorrection, "invalid_body"> =>
  decoded(petCorrectionDecoder.fromJson(json))

/** Decodes a new order from a value, as {@link decodeNewPet} does. @experimental */
export const decodeNewOrder = (json: unknown): Result<NewOrder, "invalid_body"> => decoded(newOrderDecoder.fromJson(json))

/** Decodes an order with its identifier from a value, as {@link decodeNewPet} does. @experimental */
export const decodeOrder = (json: unknown): Result<Order, "invalid_body"> => decoded(orderDecoder.fromJson(json))

/** Decodes a change to an order from a value, as {@link decodeNewPet} does. @experimental */
export const decodeOrderChange = (json: unknown): Result<ValidOrderChange, "invalid_body"> =>
  decoded(orderChangeDecoder.fromJson(json))

/** Decodes a category's name from a value, as {@link decodeNewPet} does. @experimental */
export const decodeNewCategory = (json: unknown): Result<NewCategory, "invalid_body"> =>
  decoded(newCategoryDecoder.fromJson(json))

/**
 * Parses a pet's identifier. Fails with `pet_not_found` for text that is not a 64-bit integer in plain decimal.
 *
 * @example decodePetId("9007199254740993") // { ok: true, value: 9007199254740993n }
 */
export const decodePetId = (text: string): Result<bigint, "pet_not_found"> => resultOf(petIdFrom(textOf(text)))

/** Parses an order's identifier, a 64-bit integer in plain decimal. Fails with `order_not_found` for other text. @experimental */
export const decodeOrderId = (text: string): Result<bigint, "order_not_found"> => resultOf(orderIdFrom(textOf(text)))

/** Parses a category's identifier, a 64-bit integer in plain decimal. Fails with `category_not_found` otherwise. @experimental */
export const decodeCategoryId = (text: string): Result<bigint, "category_not_found"> => resultOf(categoryIdFrom(textOf(text)))

/**
 * Extracts the API key from the value of an `Authorization` header, for `apiKeys.authenticate`. Fails with `missing_credential`
 * if the header is absent or has a scheme other than `Bearer` (specification, section 5).
 *
 * @example decodeAuthorization("Bearer pst_dev_lost") // { ok: true, value: "pst_dev_lost" }
 */
export const decodeAuthorization = (header: unknown): Result<string, "missing_credential"> =>
  resultOf(credentialFrom(headerText(header)))

/**
 * Parses the value of an `Idempotency-Key` header, for `createPetOnce`. The key may be quoted. Returns `undefined` if the header
 * is absent. Fails with `invalid_parameter` if the key is not 1 to 255 visible ASCII characters (specification, section 12).
 *
 * @example decodeIdempotencyKey('"order-7"') // { ok: true, value: "order-7" }
 */
export const decodeIdempotencyKey = (header: unknown): Result<string | undefined, "invalid_parameter"> =>
  resultOf(Either.map(idempotencyKeyFrom(headerText(header)), Option.getOrUndefined))

/** The part of `URLSearchParams` that is used: the names of the parameters, and every value of one. */
interface ParameterList {
  readonly keys: () => Iterable<string>
  readonly getAll: (name: string) => ReadonlyArray<string>
}

declare const URLSearchParams: new (text: string) => ParameterList

const isList = (parameters: object): parameters is ParameterList =>
  "getAll" in parameters && typeof parameters.getAll === "function" && "keys" in parameters

/** Reads a query, or an object into which a framework has parsed one: a repeated parameter may be an array. */
const listOf = (parameters: unknown): ParameterList => {
  if (typeof parameters === "string") return new URLSearchParams(parameters)
  const given = Object(parameters ?? {})
  if (isList(given)) return given
  const values = new Map<string, unknown>(Object.entries(given))
  return { keys: () => values.keys(), getAll: (name) => valuesFrom(values.get(name)) }
}

/**
 * Decodes a URL's query as a query for `listPets`, including the filters and `cursor`. Takes a `URLSearchParams`, the text of a
 * query, or the object into which a framework has parsed it, such as Express and Fastify's `request.query`. Fails with `invalid_parameter` if a
 * parameter is repeated (except for `id`), empty or out of range, does not have one of its allowed values, or has its name in
 * another spelling (`Status`, `id[]`). Parameters with other names are ignored (specification, section 4.1).
 *
 * @example decodePetQuery({ limit: "5", status: "sold" }) // { ok: true, value: { limit: 5, status: "sold" } }
 */
export const decodePetQuery = (parameters: unknown): Result<PetQuery, "invalid_parameter"> =>
  decodeQuery(decodePetPageRequest, parameters)

/** Decodes a URL's query as a query for `orders.list`, as {@link decodePetQuery} does. @experimental */
export const decodeOrderQuery = (parameters: unknown): Result<OrderQuery, "invalid_parameter"> =>
  decodeQuery(decodeOrderPageRequest, parameters)

/** Decodes a URL's query as a query for `categories.list`, as {@link decodePetQuery} does. @experimental */
export const decodeCategoryQuery = (parameters: unknown): Result<PageQuery<never>, "invalid_parameter"> =>
  decodeQuery(decodeCategoryPageRequest, parameters)

const decodeQuery = <Status extends string, More extends object>(
  decode: (valuesOf: ValuesOf) => Either.Either<PageRequest<Status> & More, InvalidParameter>,
  given: unknown,
) => {
  const parameters = listOf(given)
  // Without values, a decoder reads every parameter that it knows.
  const known: Array<string> = []
  decode((name) => {
    known.push(name)
    return []
  })
  return checkParameterNames([...parameters.keys()], known).pipe(
    Either.flatMap(() => decode((name) => parameters.getAll(name))),
    Either.map(({ status, after: _, ...rest }) => {
      // `decode` has already checked the cursor.
      const [cursor] = parameters.getAll("cursor")
      return { ...rest, ...(Option.isSome(status) && { status: status.value }), ...(cursor !== undefined && { cursor }) }
    }),
    resultOf,
  )
}
