import * as Schema from "@effect/schema/Schema"
import type * as Either from "effect/Either"
import { checkMade, decodeBody } from "../json/body.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { petNameMaximum } from "../pets/pet.js"
import { petNameSchema } from "../pets/pet-schema.js"
import type { NewCategory } from "./category.js"

export const newCategoryFields = {
  name: Schema.propertySignature(petNameSchema).annotations({
    description: `The category's name: 1 to ${petNameMaximum} code points, not blank, without U+0000 and lone surrogates. Kept exactly as given. Several categories may have one name.`,
  }),
}

export const newCategorySchema: Schema.Schema<NewCategory> = Schema.Struct(newCategoryFields).annotations({
  identifier: "NewCategory",
  description: "What a caller gives to name a category. Experimental.",
})

/** Decodes a category's name from `decodeJson`'s result. Fails with `InvalidBody`, which names the field. @experimental */
export const decodeNewCategory: (json: unknown) => Either.Either<NewCategory, InvalidBody> = decodeBody(newCategorySchema)

export const checkNewCategory = (given: NewCategory): Either.Either<NewCategory, InvalidBody> =>
  checkMade(given, decodeNewCategory)
