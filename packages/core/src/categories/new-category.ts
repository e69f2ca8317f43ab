import * as Schema from "@effect/schema/Schema"
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
