/** Availability of a pet (specification, section 3). */
import { Schema } from "@effect/schema"

/** The three values, in the order of the specification. */
export const petStatuses = ["available", "pending", "sold"] as const

/** One of the three texts. */
export type PetStatus = (typeof petStatuses)[number]

/** Schema of a status: exactly one of the three texts. */
export const petStatusSchema: Schema.Schema<PetStatus> = Schema.Literal(...petStatuses).annotations({
  identifier: "PetStatus",
  description: "Availability of a pet.",
  message: () => ({ message: `expected one of ${petStatuses.join(", ")}`, override: true }),
})

/** Whether a value is exactly one of the three texts. */
export const isPetStatus = (value: unknown): value is PetStatus => petStatuses.some((status) => status === value)
