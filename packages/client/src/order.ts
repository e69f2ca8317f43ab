/** Orders as callers see them, and their JSON. Experimental, like all operations on orders. */
import type { Order as DomainOrder } from "@petstore/core"
import { int64, int64Of, members } from "./pet.js"

/** The status of an order. @experimental */
export type OrderStatus = "placed" | "completed" | "cancelled"

/** The values of a new order. @experimental */
export interface NewOrder {
  /** A pet whose status is `available`. */
  readonly petId: bigint
}

/** An order that the service has stored. @experimental */
export interface Order {
  /** Assigned by the service: a 64-bit integer, exact past 2^53. */
  readonly id: bigint
  readonly petId: bigint
  readonly status: OrderStatus
  readonly createdAt: Date
  /** When the status last changed. The same as `createdAt` while the order is placed. */
  readonly updatedAt: Date
}

/** Every status. Does not compile if core's list differs. */
export const orderStatuses = {
  placed: "placed",
  completed: "completed",
  cancelled: "cancelled",
} as const satisfies Record<DomainOrder["status"], OrderStatus>

const isStatus = (value: unknown): value is OrderStatus => typeof value === "string" && Object.hasOwn(orderStatuses, value)

const timestamp = (value: unknown): Date | undefined => {
  const date = new Date(typeof value === "string" ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

export const encodeNewOrder = ({ petId }: NewOrder): string => `{"petId":${int64Of("petId", petId)}}`

/** Decodes an order. Returns `undefined` for an invalid order. Unknown members are left out. */
export const decodeOrder = (json: unknown): Order | undefined => {
  const { id: jsonId, petId: jsonPetId, status, createdAt: created, updatedAt: updated } = members(json)
  const [id, petId, createdAt, updatedAt] = [int64(jsonId), int64(jsonPetId), timestamp(created), timestamp(updated)]
  if (id === undefined || petId === undefined || createdAt === undefined || updatedAt === undefined) return undefined
  return isStatus(status) ? { id, petId, status, createdAt, updatedAt } : undefined
}
