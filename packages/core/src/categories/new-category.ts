/** The schema and the decoder of the name of a category. */
import * as Schema from "@effect/schema/Schema"
import type * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { petNameSchema } from "../pets/new-pet.js"
import { petNameMaximum } from "../pets/pet.js"
import type { NewCategory } from "./category.js"

/** The members of {@link NewCategory}, each with its rule and its description. */
export const newCategoryFields = {
  name: Schema.propertySignature(petNameSchema).annotations({
    description: `The category's name: 1 to ${petNameMaximum} code points, not blank, without U+0000 and lone surrogates. Kept exactly as given. Several categories may have one name.`,
  }),
}

/**
 * Schema of {@link NewCategory}, of `@effect/schema`.
 *
 * @experimental
 */
export const newCategorySchema: Schema.Schema<NewCategory> = Schema.Struct(newCategoryFields).annotations({
  identifier: "NewCategory",
  description: "What a caller gives to name a category. Experimental.",
})

/**
 * Decodes the name of a category, as `decodeJson` read it. Fails with `InvalidBody`, which names the field.
 *
 * @experimental
 */
export const decodeNewCategory: (json: unknown) => Either.Either<NewCategory, InvalidBody> = decodeBody(newCategorySchema)

/** The rules for the name of a category that a program gives. */
export const checkNewCategory = (given: NewCategory): Either.Either<NewCategory, InvalidBody> =>
  checkMade(given, decodeNewCategory)
