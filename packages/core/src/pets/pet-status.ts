/** A pet's availability (specification, section 3). */

/** The three values, in the order of the specification. */
export const petStatuses = ["available", "pending", "sold"] as const

/** One of the three values. */
export type PetStatus = (typeof petStatuses)[number]

/** Whether a value is exactly one of the three statuses. */
export const isPetStatus = (value: unknown): value is PetStatus => petStatuses.some((status) => status === value)
