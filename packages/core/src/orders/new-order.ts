/** The schema and the decoder of a new order. Experimental (specification, section 4.5). */
import * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import { markChecked } from "../json/checked.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import type { NewOrder } from "./order.js"

/** The members of {@link NewOrder}, each with its rule and its description. */
export const newOrderFields = {
  petId: Schema.propertySignature(Int64).annotations({ description: "Identifier of the pet that is ordered." }),
}

/**
 * Schema of a new order, of `@effect/schema`.
 *
 * @experimental
 */
export const newOrderSchema: Schema.Schema<NewOrder, { readonly petId: number | bigint }> = Schema.Struct(
  newOrderFields,
).annotations({
  identifier: "NewOrder",
  description: "What a caller gives to order a pet. Experimental.",
})

/**
 * Decodes the order of a pet, as `decodeJson` read it. Fails with `InvalidBody`,
 * which names the field.
 *
 * @experimental
 */
export const decodeNewOrder = (json: unknown): Either.Either<NewOrder, InvalidBody> =>
  Either.map(decodeBySchema(json), markChecked)

const decodeBySchema = decodeBody(newOrderSchema)

/** The rules for an order of a program. */
export const checkNewOrder = (order: NewOrder): Either.Either<NewOrder, InvalidBody> => checkMade(order, decodeNewOrder)
