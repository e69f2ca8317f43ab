/**
 * A pet of the inventory, and the rules it satisfies.
 *
 * A value of type `Pet` has passed every rule
 * below, so no later code checks again.
 */
import type { PetStatus } from "./pet-status.js"

/** Identifier of a pet: a 64-bit integer, exact past 2^53. The store assigns it, callers never do. */
export type PetId = bigint

/** The maximum number of code points in a pet's name. */
export const petNameMaximum = 1024

/** A pet before it has an identifier: what a caller gives to create one. */
export interface NewPet {
  /** Not blank, at most 1024 code points, no U+0000, no lone surrogate; kept exactly as given. */
  readonly name: string
  /** A 64-bit integer, exact past 2^53. */
  readonly categoryId: bigint
  /** An absent status stays absent, and the pet matches no status filter. */
  readonly status?: PetStatus
}

/** A new pet as `decodeJson` reads it from a JSON text. */
export interface NewPetJson extends Omit<NewPet, "categoryId"> {
  readonly categoryId: number | bigint
}

/** A pet as the store keeps it. */
export interface Pet extends NewPet {
  /** Assigned by the store, never used again. */
  readonly id: PetId
}

/** A pet as `decodeJson` reads it from a JSON text. */
export interface PetJson extends NewPetJson {
  readonly id: number | bigint
}

/**
 * A correction of a pet: absent members stay as they are.
 *
 * @experimental
 */
export interface PetCorrection extends Partial<Omit<NewPet, "status">> {
  /** `null` removes the status. */
  readonly status?: PetStatus | null
}

/** A correction as `decodeJson` reads it from a JSON text. */
export interface PetCorrectionJson extends Omit<PetCorrection, "categoryId"> {
  readonly categoryId?: number | bigint
}

/**
 * The pet after a correction.
 *
 * @experimental
 */
export const correctedPet = ({ status: former, ...pet }: Pet, { status = former ?? null, ...rest }: PetCorrection): Pet => ({
  ...pet,
  ...rest,
  ...(status !== null && { status }),
})

/** A pet as JSON text: members in the order of the specification, 64-bit integers to the last digit.
 *
 * @example encodePet({ id: 9007199254740993n, name: "Bello", categoryId: 7n }) // '{"id":9007199254740993,"name":"Bello","categoryId":7}'
 */
export const encodePet = ({ id, name, categoryId, status }: Pet): string =>
  status === undefined
    ? `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}}`
    : `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`

/** Pets as one JSON array. `JSON.stringify` takes a quarter less time, but writes no bigint: numbers do where they are exact. */
export const encodePets = (pets: ReadonlyArray<Pet>): string => {
  const inNumbers = pets.map(({ id, name, categoryId, status }) => ({
    id: Number(id),
    name,
    categoryId: Number(categoryId),
    status,
  }))
  const areExact = inNumbers.every(({ id, categoryId }) => Number.isSafeInteger(id) && Number.isSafeInteger(categoryId))
  return areExact ? JSON.stringify(inNumbers) : `[${pets.map(encodePet).join(",")}]`
}
