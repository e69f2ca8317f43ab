import * as Schema from "@effect/schema/Schema"
import type * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { isKeptText } from "../json/text.js"
import { timestampText } from "../json/timestamp.js"
import type { NewOrder, Order, OrderChange, OrderJson, ValidNewOrder, ValidOrderChange } from "./order.js"
import { orderStatuses } from "./order-status.js"

/** The maximum number of code points in an order's note. */
const noteMaximum = 256

const noteExpectation = `expected a string of at most ${noteMaximum} code points, without U+0000 and lone surrogates`

const Note = /* @__PURE__ */ (() =>
  Schema.String.annotations({ message: () => ({ message: noteExpectation, override: true }) }).pipe(
    Schema.filter((text) => isKeptText(text, noteMaximum), {
      message: () => noteExpectation,
      jsonSchema: { maxLength: noteMaximum, pattern: "^[^\\u0000]*$" },
    }),
  ))()

const newOrderFields = /* @__PURE__ */ (() => ({
  petId: Schema.propertySignature(Int64).annotations({ description: "Identifier of the pet to order." }),
  note: Schema.optionalWith(Note, { exact: true }).annotations({
    description: "What the caller noted. Do not put anything private into it.",
  }),
}))()

export const newOrderSchema: Schema.Schema<ValidNewOrder, Pick<OrderJson, "petId" | "note">> = /* @__PURE__ */ (() =>
  Schema.Struct(newOrderFields).annotations({
    identifier: "NewOrder",
    description: "The values that a caller sends to order a pet. Experimental.",
  }))()

/** Decodes a new order from the result of `decodeJson`. Fails with `InvalidBody`, which names the invalid field. @experimental */
export const decodeNewOrder: (json: unknown) => Either.Either<ValidNewOrder, InvalidBody> = decodeBody(newOrderSchema)

export const checkNewOrder = (order: NewOrder): Either.Either<ValidNewOrder, InvalidBody> => checkMade(order, decodeNewOrder)

export const orderChangeSchema: Schema.Schema<ValidOrderChange> = /* @__PURE__ */ (() =>
  Schema.Struct({
    note: Schema.optionalWith(Schema.NullOr(Note), { exact: true }).annotations({
      description: "The new note; null removes it. Do not put anything private into it.",
    }),
  }).annotations({
    identifier: "OrderChange",
    description: "The changes to an order. Absent members stay as they are. Experimental.",
  }))()

/** Decodes a change to an order from the result of `decodeJson`. Ignores unknown members. Fails with `InvalidBody`. @experimental */
export const decodeOrderChange: (json: unknown) => Either.Either<ValidOrderChange, InvalidBody> =
  /* @__PURE__ */ decodeBody(orderChangeSchema)

export const checkOrderChange = (change: OrderChange): Either.Either<ValidOrderChange, InvalidBody> =>
  checkMade(change, decodeOrderChange)

/** Accepts only timestamps in the format that `encodeOrder` writes. */
const isTimestamp = (text: string): boolean => {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && timestampText(date) === text
}

export const Timestamp = /* @__PURE__ */ (() =>
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
    description: "State of an order: placed until it is completed or cancelled. A completed order can be returned.",
    message: () => ({ message: `expected one of ${orderStatuses.join(", ")}`, override: true }),
  }))()

export const orderSchema: Schema.Schema<Order, OrderJson> = /* @__PURE__ */ (() =>
  Schema.Struct({
    id: Schema.propertySignature(Int64).annotations({ description: "Unique identifier, assigned by the service on creation." }),
    petId: newOrderFields.petId,
    status: orderStatusSchema,
    createdAt: Schema.propertySignature(Timestamp).annotations({
      description: "When the order was placed, in UTC, to the millisecond.",
    }),
    updatedAt: Schema.propertySignature(Timestamp).annotations({ description: "When the order's status last changed." }),
    note: newOrderFields.note,
  }).annotations({ identifier: "Order", description: "An order for one pet. Experimental." }))()

/** Decodes an order from the result of `decodeJson`. Unknown members are ignored. Fails with `InvalidBody`. @experimental */
export const decodeOrder: (json: unknown) => Either.Either<Order, InvalidBody> = /* @__PURE__ */ decodeBody(orderSchema)
