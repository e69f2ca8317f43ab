/** Decoders of orders, as `pet-decoders.ts` has those of pets. */
import type * as Either from "effect/Either"
import { bodyOf, type InvalidBody } from "../json/invalid-input.js"
import { int64, type ObjectDecoder, objectOf, oneOf, optional, orNull, type Rule } from "../json/object.js"
import { isKeptText } from "../json/text.js"
import { isTimestamp, timestampExpectation } from "../json/timestamp.js"
import {
  type NewOrder,
  noteExpectation,
  noteMaximum,
  type Order,
  type OrderChange,
  type ValidNewOrder,
  type ValidOrderChange,
} from "./order.js"
import { orderStatuses } from "./order-status.js"

const note: Rule<string> = {
  expected: noteExpectation,
  decode: (value) => (typeof value === "string" && isKeptText(value, noteMaximum) ? value : undefined),
}

const timestamp: Rule<Date> = {
  expected: timestampExpectation,
  decode: (value) => (typeof value === "string" && isTimestamp(value) ? new Date(value) : undefined),
}

export const newOrderDecoder: ObjectDecoder<ValidNewOrder> = /* @__PURE__ */ (() =>
  objectOf<ValidNewOrder>({ petId: int64, note: optional(note) }))()

export const orderChangeDecoder: ObjectDecoder<ValidOrderChange> = /* @__PURE__ */ (() =>
  objectOf<ValidOrderChange>({ note: optional(orNull(note)) }))()

export const orderDecoder: ObjectDecoder<Order> = /* @__PURE__ */ (() =>
  objectOf<Order>({
    id: int64,
    petId: int64,
    status: oneOf(orderStatuses),
    createdAt: timestamp,
    updatedAt: timestamp,
    note: optional(note),
  }))()

/** Decodes a new order from the result of `decodeJson`. Fails with `InvalidBody`, which names the invalid field. @experimental */
export const decodeNewOrder = (json: unknown): Either.Either<ValidNewOrder, InvalidBody> => bodyOf(newOrderDecoder.fromJson(json))

export const checkNewOrder = (order: NewOrder): Either.Either<ValidNewOrder, InvalidBody> =>
  bodyOf(newOrderDecoder.fromProgram(order))

/** Decodes a change to an order from the result of `decodeJson`. Ignores unknown members. Fails with `InvalidBody`. @experimental */
export const decodeOrderChange = (json: unknown): Either.Either<ValidOrderChange, InvalidBody> =>
  bodyOf(orderChangeDecoder.fromJson(json))

export const checkOrderChange = (change: OrderChange): Either.Either<ValidOrderChange, InvalidBody> =>
  bodyOf(orderChangeDecoder.fromProgram(change))

/** Decodes an order from the result of `decodeJson`. Unknown members are ignored. Fails with `InvalidBody`. @experimental */
export const decodeOrder = (json: unknown): Either.Either<Order, InvalidBody> => bodyOf(orderDecoder.fromJson(json))
