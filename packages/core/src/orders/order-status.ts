/** An order's states, and tables of the transitions that an order and its pet make. */
import type { PetStatus } from "../pets/pet-status.js"

/**
 * An order's first status, then the two statuses that it can have after it is closed.
 *
 * @experimental
 */
export const orderStatuses = ["placed", "completed", "cancelled"] as const

/**
 * One of the three values.
 *
 * @experimental
 */
export type OrderStatus = (typeof orderStatuses)[number]

/**
 * Placing an order changes its pet from one status to another. A pet with any other status, or none, cannot be ordered.
 *
 * @experimental
 */
export const orderPlacement: { readonly from: PetStatus; readonly to: PetStatus } = { from: "available", to: "pending" }

/**
 * How a placed order can be closed: the order's new status, and that of its `pending` pet.
 *
 * @experimental
 */
export const orderClosings = {
  complete: { status: "completed", pet: "sold" },
  cancel: { status: "cancelled", pet: "available" },
} as const satisfies Record<string, { readonly status: OrderStatus; readonly pet: PetStatus }>

/**
 * A way to close an order.
 *
 * @experimental
 */
export type OrderClosing = keyof typeof orderClosings

/**
 * The effect of closing an order with this status: `"moves"` if it is placed, `"repeats"` if it has already been closed in this
 * way, which is harmless, or `"refused"` if it has been closed in the other way.
 *
 * @experimental
 */
export const checkClosing = (closing: OrderClosing, status: OrderStatus): "moves" | "repeats" | "refused" =>
  status === "placed" ? "moves" : status === orderClosings[closing].status ? "repeats" : "refused"
