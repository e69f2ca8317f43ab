import type { PetStatus } from "../pets/pet.js"

/** The statuses of an order: its first one, the two that a closed order can have, and that of a completed order taken back. @experimental */
export const orderStatuses = ["placed", "completed", "cancelled", "returned"] as const

/** One of the four values. @experimental */
export type OrderStatus = (typeof orderStatuses)[number]

/** Only a pet with the status `from` can be ordered. The order changes that status to `to`. @experimental */
export const orderPlacement: { readonly from: PetStatus; readonly to: PetStatus } = { from: "available", to: "pending" }

/** How a placed order can be closed: the order's new status, and that of its `pending` pet. @experimental */
export const orderClosings = {
  complete: { status: "completed", pet: "sold" },
  cancel: { status: "cancelled", pet: "available" },
} as const satisfies Record<string, { readonly status: OrderStatus; readonly pet: PetStatus }>

/** How a completed order can be returned: the order's new status, and that of its `sold` pet. @experimental */
export const orderReturn = { status: "returned", pet: "available" } as const satisfies {
  readonly status: OrderStatus
  readonly pet: PetStatus
}

/** A way to close an order. @experimental */
export type OrderClosing = keyof typeof orderClosings

/**
 * The effect of closing an order with this status: `"moves"` if it is placed, `"repeats"` if it has already been closed in this
 * way, which is harmless, or `"refused"` if it has been closed in the other way or returned.
 *
 * @experimental
 */
export const checkClosing = (closing: OrderClosing, status: OrderStatus): "moves" | "repeats" | "refused" =>
  status === "placed" ? "moves" : status === orderClosings[closing].status ? "repeats" : "refused"
