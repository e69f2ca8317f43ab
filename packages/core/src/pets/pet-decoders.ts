/** Decoders of pets from JSON values and from a program's own values. The objects need no Effect; the functions return an `Either`. */
import type * as Either from "effect/Either"
import type { Decoded } from "../json/field-problem.js"
import { int64OfText } from "../json/int64.js"
import { bodyOf, type InvalidBody } from "../json/invalid-input.js"
import { int64, isObject, type ObjectDecoder, objectOf, oneOf, optional, orNull, storable } from "../json/object.js"
import {
  type NewPet,
  type Pet,
  type PetCorrection,
  petNameMaximum,
  petStatuses,
  type ValidNewPet,
  type ValidPetCorrection,
} from "./pet.js"

export const petName = /* @__PURE__ */ storable(petNameMaximum)
const status = /* @__PURE__ */ oneOf(petStatuses)

export const newPetDecoder: ObjectDecoder<ValidNewPet> = /* @__PURE__ */ (() =>
  objectOf<ValidNewPet>({ name: petName, categoryId: int64, status: optional(status) }))()

export const petDecoder: ObjectDecoder<Pet> = /* @__PURE__ */ (() =>
  objectOf<Pet>({ id: int64, name: petName, categoryId: int64, status: optional(status) }))()

export const petCorrectionDecoder: ObjectDecoder<ValidPetCorrection> = /* @__PURE__ */ (() =>
  objectOf<ValidPetCorrection>({
    name: optional(petName),
    categoryId: optional(int64),
    status: optional(orNull(status)),
  }))()

/**
 * Decodes a new pet from the result of `decodeJson`. Unknown members, such as `id`, are ignored. Fails with `InvalidBody`, which
 * names every invalid field, with the expected and the received value.
 *
 * @example
 * Either.flatMap(decodeJson('{"name": "Bello", "categoryId": 7}'), decodeNewPet) // Either.right({ name: "Bello", categoryId: 7n })
 */
export const decodeNewPet = (json: unknown): Either.Either<ValidNewPet, InvalidBody> => bodyOf(newPetDecoder.fromJson(json))

export const checkNewPet = (pet: NewPet): Either.Either<ValidNewPet, InvalidBody> => bodyOf(newPetDecoder.fromProgram(pet))

/**
 * Decodes a pet from the result of `decodeJson`. Unknown members are ignored. Fails with `InvalidBody`.
 *
 * @example Either.flatMap(decodeJson('{"id": 1, "name": "Bello", "categoryId": 7}'), decodePet) // Either.right({ id: 1n, name: "Bello", categoryId: 7n })
 */
export const decodePet = (json: unknown): Either.Either<Pet, InvalidBody> => bodyOf(petDecoder.fromJson(json))

/** Decodes a correction from the result of `decodeJson`. Ignores unknown members. Fails with `InvalidBody`. @experimental */
export const decodePetCorrection = (json: unknown): Either.Either<ValidPetCorrection, InvalidBody> =>
  bodyOf(petCorrectionDecoder.fromJson(json))

export const checkPetCorrection = (correction: PetCorrection): Either.Either<ValidPetCorrection, InvalidBody> =>
  bodyOf(petCorrectionDecoder.fromProgram(correction))

const int64FromText = (value: unknown): unknown => (typeof value === "string" ? (int64OfText(value) ?? value) : value)

export const readPetInText = (json: unknown): Decoded<Pet> =>
  petDecoder.fromJson(
    isObject(json) && "id" in json && "categoryId" in json
      ? { ...json, id: int64FromText(json["id"]), categoryId: int64FromText(json["categoryId"]) }
      : json,
  )

/** Reads what `petToJson` returned back into a pet, after `JSON.parse`. Fails with `InvalidBody`. */
export const petFromJson = (json: unknown): Either.Either<Pet, InvalidBody> => bodyOf(readPetInText(json))
