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
import { isPetStatus, PetStatus } from "./pet-status.js"

/** Identifier of a pet: 64-bit integer, exact above 2^53. The store assigns it, callers never do. */
export const PetId = Schema.typeSchema(Int64).pipe(Schema.brand("PetId"))
/** Identifier of a pet, as a type: a `bigint` that 64 bits hold. */
export type PetId = typeof PetId.Type

/** Most code points of a pet's name. */
export const petNameMaximum = 1024

/** Name of a pet: kept exactly as given. The rules are those of `storableText`, with at most 1024 code points. */
export const PetName = storableText(petNameMaximum)

/** What a caller gives to create a pet. An absent `status` stays absent: it is not invented. */
export const NewPet = Schema.Struct({
  name: Schema.propertySignature(PetName).annotations({
    description: `The animal's name: 1 to ${petNameMaximum} code points, not blank, without U+0000 and lone surrogates. Kept exactly as given.`,
  }),
  categoryId: Schema.propertySignature(Int64).annotations({
    description: "Identifier of the category the animal belongs to. Exact over the whole range of 64 bits.",
  }),
  status: Schema.optionalWith(PetStatus, { exact: true }).annotations({
    description: "Availability of the animal. A status that was not given stays absent.",
  }),
}).annotations({ identifier: "NewPet", description: "What a caller gives to add a pet." })
/** A pet before it has an identifier, as a type. */
export interface NewPet extends Schema.Schema.Type<typeof NewPet> {}

/** A pet as the store keeps it. */
export interface Pet extends NewPet {
  readonly id: PetId
}

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

const decodeBySchema = decodeBody(NewPet)

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
  if (typeof int64 !== "bigint" || !isInt64(int64)) return undefined
  if (status === undefined) return "status" in json ? undefined : { name, categoryId: int64 }
  return isPetStatus(status) ? { name, categoryId: int64, status } : undefined
}

/** A pet whose identifier is a plain `bigint`: what the writers below need. Every {@link Pet} is one. */
export type UnbrandedPet = NewPet & { readonly id: bigint }

/** A pet as JSON text: members in the order of the specification, 64-bit integers to the last digit.
 *
 * @example encodePet({ id: 9007199254740993n, name: "Bello", categoryId: 7n }) // '{"id":9007199254740993,"name":"Bello","categoryId":7}'
 */
export const encodePet = ({ id, name, categoryId, status }: UnbrandedPet): string =>
  status === undefined
    ? `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}}`
    : `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`

/** Pets as one JSON array. */
export const encodePets = (pets: ReadonlyArray<UnbrandedPet>): string => `[${pets.map(encodePet).join(",")}]`
