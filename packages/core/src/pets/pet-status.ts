/** The values of a pet's availability, in the order of the specification (section 3). */
export const petStatuses = ["available", "pending", "sold"] as const

/** One of the three values. */
export type PetStatus = (typeof petStatuses)[number]

/** Whether a value is exactly one of the three statuses. */
export const isPetStatus = (value: unknown): value is PetStatus => petStatuses.some((status) => status === value)
