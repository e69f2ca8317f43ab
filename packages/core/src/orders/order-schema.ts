import * as Schema from "@effect/schema/Schema"
import { Int64 } from "../json/int64.js"
import { isKeptText } from "../json/text.js"
import { isTimestamp, timestampExpectation, timestampText } from "../json/timestamp.js"
import { noteExpectation, noteMaximum, type Order, type OrderJson, type ValidNewOrder, type ValidOrderChange } from "./order.js"
import { orderStatuses } from "./order-status.js"

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

export const orderChangeSchema: Schema.Schema<ValidOrderChange> = /* @__PURE__ */ (() =>
  Schema.Struct({
    note: Schema.optionalWith(Schema.NullOr(Note), { exact: true }).annotations({
      description: "The new note; null removes it. Do not put anything private into it.",
    }),
  }).annotations({
    identifier: "OrderChange",
    description: "The changes to an order. Absent members stay as they are. Experimental.",
  }))()

export const Timestamp = /* @__PURE__ */ (() =>
  Schema.transform(
    Schema.String.pipe(
      Schema.filter(isTimestamp, {
        message: () => ({ message: timestampExpectation, override: true }),
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
