/** Orders in a file: one JSON object on each line, as `petstore export --orders` writes them. */
import { decodeNewOrder, InvalidBody, type OrderStatus, orderStatuses, type PetId } from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { Either } from "effect"
import type { RowDecoder } from "../../pet-files/rows.js"

/** An order from the past, without its former identifier. */
export interface PastOrder {
  readonly petId: PetId
  readonly status: OrderStatus
  /** When the order was placed and when its status last changed. If absent, both are the time of the import. */
  readonly timestamps?: { readonly createdAt: Date; readonly updatedAt: Date }
}

/** Decodes an order in the format of `encodeOrder`. A `petId` alone means a placed order. The `id` is ignored. */
export const decodePastOrder = (json: unknown): Either.Either<PastOrder, InvalidBody> =>
  Either.flatMap(decodeNewOrder(json), ({ petId }) => {
    // Safe: `decodeNewOrder` accepts only a JSON object.
    const { status = "placed", createdAt, updatedAt } = json as Readonly<Record<string, unknown>>
    if (!isOrderStatus(status)) return refuse("status", `expected one of ${orderStatuses.join(", ")}`, status)
    if (createdAt === undefined && updatedAt === undefined) return Either.right({ petId, status })
    const timestamps = { createdAt: timestampOf(createdAt), updatedAt: timestampOf(updatedAt) }
    if (timestamps.createdAt === undefined) return refuse("createdAt", timestampExpected, createdAt)
    if (timestamps.updatedAt === undefined) return refuse("updatedAt", timestampExpected, updatedAt)
    if (status === "placed" && updatedAt !== createdAt) {
      return refuse("updatedAt", "expected the same timestamp as createdAt, because the status is placed", updatedAt)
    }
    return Either.right({ petId, status, timestamps: { createdAt: timestamps.createdAt, updatedAt: timestamps.updatedAt } })
  })

export const orderRows: RowDecoder<PastOrder> = {
  columns: { required: ["petId"], optional: [] },
  fromCells: () => () => decodePastOrder(undefined),
  fromJson: decodePastOrder,
}

const isOrderStatus = (value: unknown): value is OrderStatus => orderStatuses.some((status) => status === value)

const timestampExpected = "expected a timestamp such as 2026-01-02T03:04:05.678Z"

/** Well-formed text may still be an invalid date: `Date` parses 31 February as a day in March. */
const timestampOf = (text: unknown): Date | undefined => {
  if (typeof text !== "string" || !/^[0-9]{4}-/.test(text)) return undefined
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined
}

const refuse = (field: string, expected: string, value: unknown) =>
  Either.left(new InvalidBody({ problems: [{ field, expected, received: showJson(value) }] }))
