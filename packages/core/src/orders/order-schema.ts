import * as Schema from "@effect/schema/Schema"
import type * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { timestampText } from "../json/timestamp.js"
import type { NewOrder, Order, OrderJson } from "./order.js"
import { orderStatuses } from "./order-status.js"

const newOrderFields = {
  petId: Schema.propertySignature(Int64).annotations({ description: "Identifier of the pet to order." }),
}

export const newOrderSchema: Schema.Schema<NewOrder, { readonly petId: number | bigint }> = Schema.Struct(
  newOrderFields,
).annotations({
  identifier: "NewOrder",
  description: "The values that a caller sends to order a pet. Experimental.",
})

/** Decodes a new order from the result of `decodeJson`. Fails with `InvalidBody`, which names the invalid field. @experimental */
export const decodeNewOrder: (json: unknown) => Either.Either<NewOrder, InvalidBody> = decodeBody(newOrderSchema)

export const checkNewOrder = (order: NewOrder): Either.Either<NewOrder, InvalidBody> => checkMade(order, decodeNewOrder)

/** Accepts only timestamps in the format that `encodeOrder` writes. */
const isTimestamp = (text: string): boolean => {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && timestampText(date) === text
}

const Timestamp = /* @__PURE__ */ (() =>
  Schema.transform(
    Schema.String.pipe(
      Schema.filter(isTimestamp, {
        message: () => ({ message: "expected a timestamp such as 2026-01-31T12:00:00.000Z", override: true }),
        jsonSchema: { type: "string", format: "date-time" },
      }),
    ),
    Schema.ValidDateFromSelf,
    { strict: true, decode: (text) => new Date(text), encode: timestampText },
  ))()

export const orderStatusSchema = /* @__PURE__ */ (() =>
  Schema.Literal(...orderStatuses).annotations({
    identifier: "OrderStatus",
    description: "State of an order: placed until it is completed or cancelled.",
    message: () => ({ message: `expected one of ${orderStatuses.join(", ")}`, override: true }),
  }))()

export const orderSchema: Schema.Schema<Order, OrderJson> = /* @__PURE__ */ (() =>
  Schema.Struct({
    id: Schema.propertySignature(Int64).annotations({ description: "Unique identifier, assigned by the service on creation." }),
    ...newOrderFields,
    status: orderStatusSchema,
    createdAt: Schema.propertySignature(Timestamp).annotations({
      description: "When the order was placed, in UTC, to the millisecond.",
    }),
    updatedAt: Schema.propertySignature(Timestamp).annotations({ description: "When the order's status last changed." }),
  }).annotations({ identifier: "Order", description: "An order for one pet. Experimental." }))()

/** Decodes an order from the result of `decodeJson`. Unknown members are ignored. Fails with `InvalidBody`. @experimental */
export const decodeOrder: (json: unknown) => Either.Either<Order, InvalidBody> = /* @__PURE__ */ decodeBody(orderSchema)
