import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type InvalidParameter, refused } from "../json/invalid-input.js"
import { showJson } from "../json/json.js"

/** Quoted (RFC 9651 §3.3.3) or bare: 1 to 255 visible ASCII characters other than quotes. */
const spelling = /^(?:"([!#-~]{1,255})"|([!#-~]{1,255}))$/

/**
 * Parses an `Idempotency-Key` header (specification, section 12). Fails with `InvalidParameter` if it is malformed.
 *
 * @param header  the header's value; `undefined` or `null` if absent
 * @example       decodeIdempotencyKey('"order-7"') // Either.right(Option.some("order-7"))
 */
export const decodeIdempotencyKey = (
  header: string | null | undefined,
): Either.Either<Option.Option<string>, InvalidParameter> => {
  if (header === undefined || header === null) return Either.right(Option.none())
  const [, quoted, bare] = spelling.exec(header) ?? []
  const key = quoted ?? bare
  return key === undefined ? refusedKey(header, "quoted or bare") : Either.right(Option.some(key))
}

/** Checks a key that a program passed without quotes. Fails with `InvalidParameter` if it is malformed. */
export const checkIdempotencyKey = (key: string): Either.Either<string, InvalidParameter> =>
  typeof key === "string" && spelling.exec(key)?.[2] === key ? Either.right(key) : refusedKey(key, "without quotes")

const refusedKey = (received: string, spelled: string): Either.Either<never, InvalidParameter> =>
  refused("Idempotency-Key", `expected one key of 1 to 255 visible ASCII characters, ${spelled}`, showJson(received))
