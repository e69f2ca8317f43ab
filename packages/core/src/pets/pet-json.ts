/** Pets as values that `JSON.stringify`, loggers and caches can write, because they cannot write a bigint. */
import type * as Either from "effect/Either"
import type { Decoded } from "../json/field-problem.js"
import { int64OfText } from "../json/int64.js"
import { bodyOf, type InvalidBody } from "../json/invalid-input.js"
import { isObject } from "../json/object.js"
import type { Pet } from "./pet.js"
import { petDecoder } from "./pet-decoders.js"

/** A pet whose 64-bit integers are decimal text. The service's JSON has them as integers: see `encodePet`. */
export interface PetInText extends Omit<Pet, "id" | "categoryId"> {
  readonly id: string
  readonly categoryId: string
}

/**
 * Returns the pet with its 64-bit integers as decimal text, for logs and caches. `petFromJson` reads it back.
 *
 * @example JSON.stringify(petToJson({ id: 9007199254740993n, name: "Bello", categoryId: 7n })) // '{"id":"9007199254740993","name":"Bello","categoryId":"7"}'
 */
export const petToJson = ({ id, name, categoryId, ...rest }: Pet): PetInText => ({
  id: String(id),
  name,
  categoryId: String(categoryId),
  ...rest,
})

const int64FromText = (value: unknown): unknown => (typeof value === "string" ? (int64OfText(value) ?? value) : value)

export const readPetInText = (json: unknown): Decoded<Pet> =>
  petDecoder.fromJson(
    isObject(json) && "id" in json && "categoryId" in json
      ? { ...json, id: int64FromText(json["id"]), categoryId: int64FromText(json["categoryId"]) }
      : json,
  )

/** Reads what {@link petToJson} returned back into a pet, after `JSON.parse`. Fails with `InvalidBody`. */
export const petFromJson = (json: unknown): Either.Either<Pet, InvalidBody> => bodyOf(readPetInText(json))
