/** States of an order, and how it and its pet move between theirs: the whole of it, as a table. */
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
 * Placing an order takes a pet from one status to another. A pet in any other status, or in none,
 * cannot be ordered.
 *
 * @experimental
 */
export const orderPlacement: { readonly from: PetStatus; readonly to: PetStatus } = { from: "available", to: "pending" }

/**
 * How a placed order may end: its status then, and where its pet, which is `pending`, goes.
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
 * What closing an order does to one of this status: `"moves"` a placed one, `"repeats"` on one
 * that ended so before, which is harmless, and is `"refused"` by one that ended the other way.
 *
 * @experimental
 */
export const checkClosing = (closing: OrderClosing, status: OrderStatus): "moves" | "repeats" | "refused" =>
  status === "placed" ? "moves" : status === orderClosings[closing].status ? "repeats" : "refused"
