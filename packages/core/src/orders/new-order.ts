import * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import { markChecked } from "../json/checked.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import type { NewOrder } from "./order.js"

export const newOrderFields = {
  petId: Schema.propertySignature(Int64).annotations({ description: "Identifier of the pet to order." }),
}

/** The `@effect/schema` schema of a new order. @experimental */
export const newOrderSchema: Schema.Schema<NewOrder, { readonly petId: number | bigint }> = Schema.Struct(
  newOrderFields,
).annotations({
  identifier: "NewOrder",
  description: "The values that a caller sends to order a pet. Experimental.",
})

/** Decodes a new order from the result of `decodeJson`. Fails with `InvalidBody`, which names the invalid field. @experimental */
export const decodeNewOrder = (json: unknown): Either.Either<NewOrder, InvalidBody> =>
  Either.map(decodeBySchema(json), markChecked)

const decodeBySchema = decodeBody(newOrderSchema)

export const checkNewOrder = (order: NewOrder): Either.Either<NewOrder, InvalidBody> => checkMade(order, decodeNewOrder)
