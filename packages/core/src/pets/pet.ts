/**
 * A pet of the inventory, and the rules it satisfies.
 *
 * A value of type `Pet` has passed every rule
 * below, so no later code checks again.
 */
import { Schema } from "@effect/schema"
import { Either } from "effect"
import { decodeBody, isObject } from "../json/body.js"
import { Int64, isInt64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { isStorableText, storableText } from "../json/text.js"
import { isPetStatus, type PetStatus, petStatusSchema } from "./pet-status.js"

/** Identifier of a pet: a 64-bit integer, exact past 2^53. The store assigns it, callers never do. */
export type PetId = bigint

/** Most code points of a pet's name. */
export const petNameMaximum = 1024

/** Schema of the name of a pet: kept exactly as given. The rules are those of `storableText`, with at most 1024 code points. */
export const petNameSchema = storableText(petNameMaximum)

/** A pet before it has an identifier: what a caller gives to create one. */
export interface NewPet {
  /** Not blank, at most 1024 code points, no U+0000, no lone surrogate; kept exactly as given. */
  readonly name: string
  /** A 64-bit integer, exact past 2^53. */
  readonly categoryId: bigint
  /** An absent status stays absent: none is made up, and the pet matches no status filter. */
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

/** The members of {@link NewPet}, each with its rule and its description. */
export const newPetFields = {
  name: Schema.propertySignature(petNameSchema).annotations({
    description: `The animal's name: 1 to ${petNameMaximum} code points, not blank, without U+0000 and lone surrogates. Kept exactly as given.`,
  }),
  categoryId: Schema.propertySignature(Int64).annotations({
    description: "Identifier of the category the animal belongs to. Exact over the whole range of 64 bits.",
  }),
  status: Schema.optionalWith(petStatusSchema, { exact: true }).annotations({
    description: "Availability of the animal. A status that was not given stays absent.",
  }),
}

/** Schema of a new pet, of `@effect/schema`. */
export const newPetSchema: Schema.Schema<NewPet, NewPetJson> = Schema.Struct(newPetFields).annotations({
  identifier: "NewPet",
  description: "What a caller gives to add a pet.",
})

/**
 * Decodes a new pet, as `decodeJson` read it.
 * Unknown members, `id` among them, are ignored. Fails with `InvalidBody`,
 * which names every field that is wrong, what was expected and what came.
 *
 * @example
 * Either.flatMap(decodeJson('{"name": "Bello", "categoryId": 7}'), decodeNewPet) // Either.right({ name: "Bello", categoryId: 7n })
 */
export const decodeNewPet = (json: unknown): Either.Either<NewPet, InvalidBody> => {
  const pet = decodeQuickly(json)
  return pet === undefined ? decodeBySchema(json) : Either.right(pet)
}

const decodeBySchema = decodeBody(newPetSchema)

/**
 * The pet of a body without a flaw, by the predicates the schema is made of but not by its
 * interpreter, which takes five times as long: this is most of what an import does. `undefined`
 * for every other body: whether and why it is wrong is for the schema to say. A test holds both together.
 */
const decodeQuickly = (json: unknown): NewPet | undefined => {
  if (!isObject(json)) return undefined
  const { name, categoryId, status } = json
  if (typeof name !== "string" || !isStorableText(name, petNameMaximum)) return undefined
  const int64 = Number.isSafeInteger(categoryId) ? BigInt(Number(categoryId)) : categoryId
  if (!isInt64(int64)) return undefined
  if (status === undefined) return "status" in json ? undefined : { name, categoryId: int64 }
  return isPetStatus(status) ? { name, categoryId: int64, status } : undefined
}

/** A pet as JSON text: members in the order of the specification, 64-bit integers to the last digit.
 *
 * @example encodePet({ id: 9007199254740993n, name: "Bello", categoryId: 7n }) // '{"id":9007199254740993,"name":"Bello","categoryId":7}'
 */
export const encodePet = ({ id, name, categoryId, status }: Pet): string =>
  status === undefined
    ? `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}}`
    : `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`

/** Pets as one JSON array. */
export const encodePets = (pets: ReadonlyArray<Pet>): string => `[${pets.map(encodePet).join(",")}]`
