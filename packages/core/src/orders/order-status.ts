/** The states of an order, and the transitions of it and its pet, as tables. */
import type { PetStatus } from "../pets/pet-status.js"

/**
 * The three values, in the order in which an order takes them.
 *
 * @experimental
 */
export const orderStatuses = ["placed", "completed", "cancelled"] as const

/**
 * One of the three.
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
 * How a placed order may end: its new status, and that of its pet, which is `pending`.
 *
 * @experimental
 */
export const orderClosings = {
  complete: { status: "completed", pet: "sold" },
  cancel: { status: "cancelled", pet: "available" },
} as const satisfies Record<string, { readonly status: OrderStatus; readonly pet: PetStatus }>

/**
 * A way to end an order.
 *
 * @experimental
 */
export type OrderClosing = keyof typeof orderClosings

/**
 * The effect of closing an order of this status: `"moves"` a placed one, `"repeats"` if it ended the same way, which is harmless,
 * or `"refused"` if it ended the other way.
 *
 * @experimental
 */
export const checkClosing = (closing: OrderClosing, status: OrderStatus): "moves" | "repeats" | "refused" =>
  status === "placed" ? "moves" : status === orderClosings[closing].status ? "repeats" : "refused"
