import * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import { markChecked } from "../json/checked.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { petNameSchema, petStatusSchema } from "./new-pet.js"
import type { PetCorrection, PetCorrectionJson, ValidPetCorrection } from "./pet.js"

export const petCorrectionSchema: Schema.Schema<ValidPetCorrection, PetCorrectionJson> = Schema.Struct({
  name: Schema.optionalWith(petNameSchema, { exact: true }).annotations({ description: "The new name." }),
  categoryId: Schema.optionalWith(Int64, { exact: true }).annotations({ description: "The new category." }),
  status: Schema.optionalWith(Schema.NullOr(petStatusSchema), { exact: true }).annotations({
    description: "The new status; null removes it.",
  }),
}).annotations({
  identifier: "PetCorrection",
  description: "The changes to a pet. Absent members stay as they are. Experimental.",
})

/** Decodes a correction from the result of `decodeJson`. Ignores unknown members. Fails with `InvalidBody`. @experimental */
export const decodePetCorrection = (json: unknown): Either.Either<ValidPetCorrection, InvalidBody> =>
  Either.map(decodeBySchema(json), markChecked)

const decodeBySchema = decodeBody(petCorrectionSchema)

export const checkPetCorrection = (correction: PetCorrection): Either.Either<ValidPetCorrection, InvalidBody> =>
  checkMade(correction, decodePetCorrection)
