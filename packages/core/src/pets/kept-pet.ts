import * as Schema from "@effect/schema/Schema"
import type * as Either from "effect/Either"
import { decodeBody } from "../json/body.js"
import { Int64 } from "../json/int64.js"
import type { InvalidBody } from "../json/invalid-input.js"
import { newPetFields } from "./new-pet.js"
import type { Pet, PetJson } from "./pet.js"

export const petSchema: Schema.Schema<Pet, PetJson> = /* @__PURE__ */ (() =>
  Schema.Struct({
    id: Schema.propertySignature(Int64).annotations({
      description: "Unique identifier, assigned by the service on creation. Exact over the whole range of 64 bits.",
    }),
    ...newPetFields,
  }).annotations({ identifier: "Pet", description: "A pet of the catalogue." }))()

/**
 * Decodes a pet from the result of `decodeJson`. Unknown members are ignored. Fails with `InvalidBody`.
 *
 * @example Either.flatMap(decodeJson('{"id": 1, "name": "Bello", "categoryId": 7}'), decodePet) // Either.right({ id: 1n, name: "Bello", categoryId: 7n })
 */
export const decodePet: (json: unknown) => Either.Either<Pet, InvalidBody> = /* @__PURE__ */ decodeBody(petSchema)
