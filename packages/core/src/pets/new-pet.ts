/**
 * The schema of a new pet, made of the rules of `pet.ts`, and its decoder. The plain types stay in `pet.ts`,
 * so that declarations that name them load nothing of Effect.
 */
import * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import { checkMade, decodeBody, isObject } from "../json/body.js"
import { markChecked } from "../json/checked.js"
import { Int64, isInt64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { isStorableText, storableText } from "../json/text.js"
import { type NewPet, type NewPetJson, petNameMaximum } from "./pet.js"
import { isPetStatus, type PetStatus, petStatuses } from "./pet-status.js"

/** Schema of a status: exactly one of the three strings. */
export const petStatusSchema: Schema.Schema<PetStatus> = Schema.Literal(...petStatuses).annotations({
  identifier: "PetStatus",
  description: "Availability of a pet.",
  message: () => ({ message: `expected one of ${petStatuses.join(", ")}`, override: true }),
})

/** Schema of the name of a pet: kept exactly as given. The rules are those of `storableText`, with at most 1024 code points. */
export const petNameSchema = storableText(petNameMaximum)

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
 * which names every field that is wrong, what was expected and what was received.
 *
 * @example
 * Either.flatMap(decodeJson('{"name": "Bello", "categoryId": 7}'), decodeNewPet) // Either.right({ name: "Bello", categoryId: 7n })
 */
export const decodeNewPet = (json: unknown): Either.Either<NewPet, InvalidBody> => {
  const pet = decodeQuickly(json)
  return pet === undefined ? Either.map(decodeBySchema(json), markChecked) : Either.right(markChecked(pet))
}

/** The rules for a pet of a program. */
export const checkNewPet = (pet: NewPet): Either.Either<NewPet, InvalidBody> => checkMade(pet, decodeNewPet)

const decodeBySchema = decodeBody(newPetSchema)

/**
 * The pet of a valid body, by the predicates of the schema without its interpreter, which takes five times as long and would be
 * most of an import. `undefined` for every other body, which the schema then judges. A test compares both.
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
