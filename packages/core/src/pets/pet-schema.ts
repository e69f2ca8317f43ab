/** Schemas of pets, for the contract and for programs with `@effect/schema`. `pet-decoders.ts` decodes pets by the same rules. */
import * as Schema from "@effect/schema/Schema"
import { Int64 } from "../json/int64.js"
import { storableText } from "../json/text.js"
import {
  type NewPetJson,
  type Pet,
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

export const petSchema: Schema.Schema<Pet, PetJson> = /* @__PURE__ */ (() =>
  Schema.Struct({
    id: Schema.propertySignature(Int64).annotations({
      description: "Unique identifier, assigned by the service on creation.",
    }),
    ...newPetFields,
  }).annotations({ identifier: "Pet", description: "A pet of the catalogue." }))()

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
