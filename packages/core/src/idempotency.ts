/** A request that may arrive twice: what a caller names it, and what makes two requests the same. */
import { Effect, Either, Option } from "effect"
import type { AccountId, ApiKey } from "./credential.js"
import { Cryptography } from "./cryptography.js"
import { InvalidParameter } from "./errors.js"
import { showJson } from "./json.js"

/** For how long a request is remembered, in ms: 24 hours. */
export const idempotencyLifetimeMillis = 24 * 60 * 60 * 1000

/** A caller's claim that a request is the only one of its name. Scoped to account and operation. */
export interface IdempotencyClaim {
  readonly accountId: AccountId
  /** Method and path, such as `POST /v1/pets`. */
  readonly operation: string
  /** 1 to 255 visible ASCII characters. */
  readonly key: string
  /** SHA-256 of the bytes of the body, in hexadecimal. */
  readonly fingerprint: string
  readonly claimedAt: Date
  /** From this moment on the name is free again. */
  readonly expiresAt: Date
}

/** Quoted (RFC 9651 §3.3.3) or bare: 1 to 255 visible ASCII characters, no quotes inside. */
const spelling = /^(?:"([!#-~]{1,255})"|([!#-~]{1,255}))$/

/**
 * Reads an `Idempotency-Key` header. Fails with `InvalidParameter` if it is malformed.
 *
 * @param header  value of the header, `undefined` if there is none
 * @example       decodeIdempotencyKey('"order-7"') // Either.right(Option.some("order-7"))
 */
export const decodeIdempotencyKey = (header: string | undefined): Either.Either<Option.Option<string>, InvalidParameter> => {
  if (header === undefined) return Either.right(Option.none())
  const [, quoted, bare] = spelling.exec(header) ?? []
  const key = quoted ?? bare
  return key === undefined
    ? Either.left(
        new InvalidParameter({
          parameter: "Idempotency-Key",
          expected: "expected one key of 1 to 255 visible ASCII characters, quoted or bare",
          received: showJson(header),
        }),
      )
    : Either.right(Option.some(key))
}

/** Makes the claim of a request that an account sends now. `body` is the text of its bytes. */
export const claimRequest = (
  { accountId }: ApiKey,
  operation: string,
  key: string,
  body: string,
): Effect.Effect<IdempotencyClaim, never, Cryptography> =>
  Effect.map(Effect.zip(Cryptography, Effect.clock), ([{ sha256 }, clock]) => {
    const millis = clock.unsafeCurrentTimeMillis()
    return {
      accountId,
      operation,
      key,
      fingerprint: sha256(body),
      claimedAt: new Date(millis),
      expiresAt: new Date(millis + idempotencyLifetimeMillis),
    }
  })
