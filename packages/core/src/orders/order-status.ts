/** States of an order, and how it and its pet move between theirs: the whole of it, as a table. */
import type { PetStatus } from "../pets/pet-status.js"

/**
 * The three values, in the order of a life.
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
export const placing: { readonly from: PetStatus; readonly to: PetStatus } = { from: "available", to: "pending" }

/**
 * How a placed order may end: its status then, and where its pet, which is `pending`, goes.
 *
 * @experimental
 */
export const closings = {
  complete: { status: "completed", pet: "sold" },
  cancel: { status: "cancelled", pet: "available" },
} as const satisfies Record<string, { readonly status: OrderStatus; readonly pet: PetStatus }>

/**
 * A way to end an order.
 *
 * @experimental
 */
export type Closing = keyof typeof closings

/**
 * What a closing does to an order: `"moves"` a placed one, `"repeats"` on one
 * that ended so before, which is harmless, and is `"refused"` by one that ended the other way.
 *
 * @experimental
 */
export const effectOf = (closing: Closing, status: OrderStatus): "moves" | "repeats" | "refused" =>
  status === "placed" ? "moves" : status === closings[closing].status ? "repeats" : "refused"
