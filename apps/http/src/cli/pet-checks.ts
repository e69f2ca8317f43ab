/** The rules of core as checks of a file's rows. */
import { Schema } from "@effect/schema"
import { decodeBody, decodeNewPet, decodePetCorrection, Int64, type InvalidBody, type ValidNewPet } from "@petstore/core"
import type { Decode, Decoded, PetUpdate } from "@petstore/pet-files"
import { Either } from "effect"

export const decodedOf = <A>(decoded: Either.Either<A, InvalidBody>): Decoded<A> =>
  Either.isRight(decoded) ? { value: decoded.right } : { problems: decoded.left.problems }

export const checkNewPet: Decode<unknown, ValidNewPet> = (json) => decodedOf(decodeNewPet(json))

const decodeId = decodeBody(Schema.Struct({ id: Int64 }))

export const checkUpdate: Decode<unknown, PetUpdate> = (json) => {
  const [id, correction] = [decodedOf(decodeId(json)), decodedOf(decodePetCorrection(json))]
  if (id.problems === undefined) {
    return correction.problems === undefined ? { value: [id.value.id, correction.value] } : correction
  }
  const known = new Set(id.problems.map(({ field }) => field))
  return { problems: [...id.problems, ...(correction.problems ?? []).filter(({ field }) => !known.has(field))] }
}
