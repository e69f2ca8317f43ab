import { petStatuses } from "./facts.js"
import { bodyOf, int64, mustBeInt64, mustBeOneOf, mustBeText, object, oneOf, orNull, text } from "./fields.js"

/** A pet's availability. */
export type PetStatus = "available" | "pending" | "sold"

/** The values of a new pet. */
export interface NewPet {
  /** Not blank, at most 1024 code points. Stored exactly as given. */
  readonly name: string
  /** A 64-bit integer, exact past 2^53: write `7n`, or `BigInt("9007199254740993")`. */
  readonly categoryId: bigint
  /** An absent status stays absent, and the pet matches no status filter. */
  readonly status?: PetStatus | undefined
}

/** A pet that the service has stored. */
export interface Pet {
  /** Assigned by the service: a 64-bit integer, exact past 2^53. */
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: PetStatus
}

/** A correction to a pet. Members that are absent keep their values. */
export interface PetCorrection {
  readonly name?: string | undefined
  readonly categoryId?: bigint | undefined
  /** `null` removes the status. */
  readonly status?: PetStatus | null | undefined
}

// Does not compile if core has a status that the client's type lacks.
const statuses: ReadonlyArray<PetStatus> = petStatuses
const mustBeStatus = mustBeOneOf(statuses)

export const encodeNewPet = bodyOf<NewPet>({ name: mustBeText, categoryId: mustBeInt64 }, { status: mustBeStatus })

export const encodePetCorrection = bodyOf<PetCorrection>(
  {},
  { name: mustBeText, categoryId: mustBeInt64, status: orNull(mustBeStatus) },
)

export const decodePet = object<Pet>({ id: int64, name: text, categoryId: int64 }, { status: oneOf(statuses) })
