/** Decodes text from callers to plain values. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { decodeJson } from "../json/json.js"
import { decodeOrder } from "../orders/kept-order.js"
import { decodeNewOrder } from "../orders/new-order.js"
import type { NewOrder, Order } from "../orders/order.js"
import { decodeOrderId as orderIdFrom } from "../orders/orders.js"
import { decodePet } from "../pets/kept-pet.js"
import { decodeNewPet } from "../pets/new-pet.js"
import type { NewPet, Pet } from "../pets/pet.js"
import { decodePetPageRequest, decodePetId as petIdFrom } from "../pets/pets.js"
import type { PetQuery } from "./catalogue.js"
import type { Result } from "./result.js"
import { resultOf } from "./result-of.js"

/**
 * Reads a JSON text as the new pet that it describes. Members that a new pet does not have are ignored,
 * `id` among them. Fails with `invalid_json`, or with `invalid_body` and every wrong field in `problems`.
 *
 * It takes text and not a value of `JSON.parse`, which rounds integers past 2^53.
 *
 * @see SPECIFICATION.md, section 4.2
 * @example
 * parseNewPet('{"name": "Bello", "categoryId": 9007199254740993}') // { ok: true, value: { name: "Bello", categoryId: 9007199254740993n } }
 */
export const parseNewPet = (text: string): Result<NewPet, "invalid_json" | "invalid_body"> =>
  resultOf(Either.flatMap(decodeJson(text), decodeNewPet))

/** Reads a JSON text as a pet with its identifier, such as the body of a response, as {@link parseNewPet} does. */
export const parsePet = (text: string): Result<Pet, "invalid_json" | "invalid_body"> =>
  resultOf(Either.flatMap(decodeJson(text), decodePet))

/**
 * Reads a JSON text as the new order that it describes, as {@link parseNewPet} does.
 *
 * @experimental
 */
export const parseNewOrder = (text: string): Result<NewOrder, "invalid_json" | "invalid_body"> =>
  resultOf(Either.flatMap(decodeJson(text), decodeNewOrder))

/**
 * Reads a JSON text as an order with its identifier, as {@link parseNewPet} does.
 *
 * @experimental
 */
export const parseOrder = (text: string): Result<Order, "invalid_json" | "invalid_body"> =>
  resultOf(Either.flatMap(decodeJson(text), decodeOrder))

/**
 * Reads the identifier of a pet. Text other than a 64-bit integer in plain decimal names no pet: `pet_not_found`.
 *
 * @example decodePetId("9007199254740993") // { ok: true, value: 9007199254740993n }
 */
export const decodePetId = (text: string): Result<bigint, "pet_not_found"> => resultOf(petIdFrom(text))

/**
 * Reads the identifier of an order. Text other than a 64-bit integer in plain decimal names no order: `order_not_found`.
 *
 * @experimental
 */
export const decodeOrderId = (text: string): Result<bigint, "order_not_found"> => resultOf(orderIdFrom(text))

/** The parameters of a query: every value of one, as `URLSearchParams` has them. */
export interface QueryParameters {
  readonly getAll: (name: string) => ReadonlyArray<string>
}

/**
 * Decodes the query of a URL as the one for `listPets`, filters and `cursor` included. A parameter that is repeated (but for
 * `id`), empty, out of range or unknown to its list of values is `invalid_parameter`; parameters of other names are ignored.
 *
 * @see SPECIFICATION.md, section 4.1
 * @example decodePetQuery(new URLSearchParams("limit=5&status=sold")) // { ok: true, value: { limit: 5, status: "sold" } }
 */
export const decodePetQuery = (parameters: QueryParameters): Result<PetQuery, "invalid_parameter"> =>
  resultOf(
    Either.map(
      decodePetPageRequest((name) => parameters.getAll(name)),
      ({ status, ids, after: _, afterKey: __, ...filters }) => {
        const [cursor] = parameters.getAll("cursor")
        return {
          ...filters,
          ...(Option.isSome(status) && { status: status.value }),
          ...(ids !== undefined && { id: ids }),
          ...(cursor !== undefined && { cursor }),
        }
      },
    ),
  )
