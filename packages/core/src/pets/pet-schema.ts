/** The types of pets are in `pet.ts`, so that declarations that use the types do not load Effect. */
import * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import { checkMade, decodeBody, isObject } from "../json/body.js"
import { Int64, isInt64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { nearMisses } from "../json/near-miss.js"
import { isStorableText, storableText } from "../json/text.js"
import {
  isPetStatus,
  type NewPet,
  type NewPetJson,
  type Pet,
  type PetCorrection,
  type PetCorrectionJson,
  type PetJson,
  type PetStatus,
  petNameMaximum,
  petStatusExpectation,
  petStatuses,
  type ValidNewPet,
  type ValidPetCorrection,
} from "./pet.js"

export const petStatusSchema: Schema.Schema<PetStatus> = Schema.Literal(...petStatuses).annotations({
  identifier: "PetStatus",
  description: "Availability of a pet.",
  message: () => ({ message: petStatusExpectation, override: true }),
})

export const petNameSchema = storableText(petNameMaximum)

const newPetFields = {
  name: Schema.propertySignature(petNameSchema).annotations({
    description: `The animal's name: 1 to ${petNameMaximum} code points, not blank, without U+0000 and lone surrogates. Kept exactly as given.`,
  }),
  categoryId: Schema.propertySignature(Int64).annotations({
    description: "Identifier of the animal's category.",
  }),
  status: Schema.optionalWith(petStatusSchema, { exact: true }).annotations({
    description: "Availability of the animal. A status that was not given stays absent.",
  }),
}

export const newPetSchema: Schema.Schema<ValidNewPet, NewPetJson> = Schema.Struct(newPetFields).annotations({
  identifier: "NewPet",
  description: "The values that a caller sends to add a pet.",
})

/**
 * Decodes a new pet from the result of `decodeJson`. Unknown members, such as `id`, are ignored. Fails with `InvalidBody`, which
 * names every invalid field, with the expected and the received value.
 *
 * @example
 * Either.flatMap(decodeJson('{"name": "Bello", "categoryId": 7}'), decodeNewPet) // Either.right({ name: "Bello", categoryId: 7n })
 */
export const decodeNewPet = (json: unknown): Either.Either<ValidNewPet, InvalidBody> => {
  const pet = decodeQuickly(json)
  return pet === undefined ? decodeNewPetBySchema(json) : Either.right(pet)
}

/** Also checks a decoded pet again, which takes 0.1 µs. */
export const checkNewPet = (pet: NewPet): Either.Either<ValidNewPet, InvalidBody> => {
  const valid = decodeQuickly(pet)
  return valid === undefined ? checkMade(pet, decodeNewPetBySchema) : Either.right(valid)
}

const decodeNewPetBySchema = decodeBody(newPetSchema)

/**
 * Decodes a valid body with the schema's predicates but without its interpreter, which takes five times as long and would
 * account for most of an import's time. Returns `undefined` for any other body, which the schema then decodes. A test compares
 * the two decoders.
 */
const decodeQuickly = (json: unknown): ValidNewPet | undefined => {
  if (!isObject(json)) return undefined
  const { name, categoryId, status } = json
  if (typeof name !== "string" || !isStorableText(name, petNameMaximum)) return undefined
  const int64 = Number.isSafeInteger(categoryId) ? BigInt(Number(categoryId)) : categoryId
  if (!isInt64(int64)) return undefined
  if (status === undefined && nearMisses(Object.keys(json), ["name", "categoryId", "status"]).length > 0) return undefined
  if (status === undefined) return "status" in json ? undefined : { name, categoryId: int64 }
  return isPetStatus(status) ? { name, categoryId: int64, status } : undefined
}

export const petSchema: Schema.Schema<Pet, PetJson> = /* @__PURE__ */ (() =>
  Schema.Struct({
    id: Schema.propertySignature(Int64).annotations({
      description: "Unique identifier, assigned by the service on creation.",
    }),
    ...newPetFields,
  }).annotations({ identifier: "Pet", description: "A pet of the catalogue." }))()

/**
 * Decodes a pet from the result of `decodeJson`. Unknown members are ignored. Fails with `InvalidBody`.
 *
 * @example Either.flatMap(decodeJson('{"id": 1, "name": "Bello", "categoryId": 7}'), decodePet) // Either.right({ id: 1n, name: "Bello", categoryId: 7n })
 */
export const decodePet: (json: unknown) => Either.Either<Pet, InvalidBody> = /* @__PURE__ */ decodeBody(petSchema)

export const petCorrectionSchema: Schema.Schema<ValidPetCorrection, PetCorrectionJson> = /* @__PURE__ */ (() =>
  Schema.Struct({
    name: Schema.optionalWith(petNameSchema, { exact: true }).annotations({ description: "The new name." }),
    categoryId: Schema.optionalWith(Int64, { exact: true }).annotations({ description: "The new category." }),
    status: Schema.optionalWith(Schema.NullOr(petStatusSchema), { exact: true }).annotations({
      description: "The new status; null removes it.",
    }),
  }).annotations({
    identifier: "PetCorrection",
    description: "The changes to a pet. Absent members stay as they are. Experimental.",
  }))()

/** Decodes a correction from the result of `decodeJson`. Ignores unknown members. Fails with `InvalidBody`. @experimental */
export const decodePetCorrection: (json: unknown) => Either.Either<ValidPetCorrection, InvalidBody> =
  /* @__PURE__ */ decodeBody(petCorrectionSchema)

export const checkPetCorrection = (correction: PetCorrection): Either.Either<ValidPetCorrection, InvalidBody> =>
  checkMade(correction, decodePetCorrection)
