/** The decoder of a category's name, as `pet-decoders.ts` has those of pets. */
import type * as Either from "effect/Either"
import { bodyOf, type InvalidBody } from "../json/invalid-input.js"
import { type ObjectDecoder, objectOf } from "../json/object.js"
import { petName } from "../pets/pet-decoders.js"
import type { NewCategory } from "./category.js"

export const newCategoryDecoder: ObjectDecoder<NewCategory> = /* @__PURE__ */ (() => objectOf<NewCategory>({ name: petName }))()

/** Decodes a category's name from `decodeJson`'s result. Fails with `InvalidBody`, which names the field. @experimental */
export const decodeNewCategory = (json: unknown): Either.Either<NewCategory, InvalidBody> =>
  bodyOf(newCategoryDecoder.fromJson(json))

export const checkNewCategory = (given: NewCategory): Either.Either<NewCategory, InvalidBody> =>
  bodyOf(newCategoryDecoder.fromProgram(given))
