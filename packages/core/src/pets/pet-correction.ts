/** The schema of a correction, made of the rules of a new pet. */
import * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import { markChecked } from "../json/checked.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { petNameSchema, petStatusSchema } from "./new-pet.js"
import type { PetCorrection, PetCorrectionJson } from "./pet.js"

/**
 * Schema of a correction, of `@effect/schema`: each member under the rule of a new pet.
 *
 * @experimental
 */
export const petCorrectionSchema: Schema.Schema<PetCorrection, PetCorrectionJson> = Schema.Struct({
  name: Schema.optionalWith(petNameSchema, { exact: true }).annotations({ description: "The name from now on." }),
  categoryId: Schema.optionalWith(Int64, { exact: true }).annotations({ description: "The category from now on." }),
  status: Schema.optionalWith(Schema.NullOr(petStatusSchema), { exact: true }).annotations({
    description: "The status from now on; null removes it.",
  }),
}).annotations({
  identifier: "PetCorrection",
  description: "What changes of a pet: members that are absent stay as they are. Experimental.",
})

/**
 * Decodes a correction, as `decodeJson` read it. Unknown members, `id` among them, are ignored. Fails with `InvalidBody`.
 *
 * @experimental
 */
export const decodePetCorrection = (json: unknown): Either.Either<PetCorrection, InvalidBody> =>
  Either.map(decodeBySchema(json), markChecked)

const decodeBySchema = decodeBody(petCorrectionSchema)

/** The rules for a correction of a program. */
export const checkPetCorrection = (correction: PetCorrection): Either.Either<PetCorrection, InvalidBody> =>
  checkMade(correction, decodePetCorrection)
