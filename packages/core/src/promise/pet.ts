/** Pets in plain values: identifiers are `bigint` and nothing more. */
import { Either } from "effect"
import type { InvalidBody } from "../json/invalid-input.js"
import { decodeJson } from "../json/json.js"
import { type NewPet as DecodedNewPet, decodeNewPet as decodeBodyOfNewPet } from "../pets/pet.js"
import type { PetStatus } from "../pets/pet-status.js"
import { type Result, resultOf } from "./result.js"

/** What you give to create a pet. */
export interface NewPet {
  /** Not blank, at most 1024 code points, no U+0000, no lone surrogate; kept exactly as given. */
  readonly name: string
  /** A 64-bit integer, exact past 2^53. */
  readonly categoryId: bigint
  /** An absent status stays absent: none is made up, and the pet matches no status filter. */
  readonly status?: PetStatus | undefined
}

/** A pet as the store keeps it. */
export interface Pet {
  /** Assigned by the store: a 64-bit integer, exact past 2^53, never used again. */
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: PetStatus
}

/**
 * Decodes a JSON text as the pet it describes. Members that a new pet does not have are ignored,
 * `id` among them. Fails with `invalid_json`, or with `invalid_body` and every wrong field in `problems`.
 *
 * It takes the text and not a value of `JSON.parse`, which rounds integers past 2^53.
 *
 * @see specification, section 4.2
 * @example
 * decodeNewPet('{"name": "Bello", "categoryId": 9007199254740993}') // { ok: true, value: { name: "Bello", categoryId: 9007199254740993n } }
 */
export const decodeNewPet = (text: string): Result<NewPet, "invalid_json" | "invalid_body"> =>
  resultOf(Either.flatMap(decodeJson(text), decodeBodyOfNewPet))

/** Validates a pet that a program made by hand, which no decoder has seen. */
export const validateNewPet = ({ name, categoryId, status }: NewPet): Either.Either<DecodedNewPet, InvalidBody> =>
  // `undefined` is how many programs write an absent member.
  decodeBodyOfNewPet(status === undefined ? { name, categoryId } : { name, categoryId, status })
