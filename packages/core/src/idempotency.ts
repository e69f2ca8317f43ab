/** A request that may arrive twice: what a caller names it, and what makes two requests the same. */
import { Effect } from "effect"
import type { ApiKey } from "./credentials/credential.js"
import { Cryptography } from "./credentials/cryptography.js"

/** For how long a request is remembered, in ms: 24 hours. */
export const idempotencyLifetimeMillis = 24 * 60 * 60 * 1000

/** A caller's claim that a request is the only one of its name. Scoped to account and operation. */
export interface IdempotencyClaim {
  /** Whose request it is: an `AccountId`, or another text that stays the same. */
  readonly accountId: string
  /** What is done, in a text that stays the same: who repeats the request names it so again. */
  readonly operation: string
  /** 1 to 255 visible ASCII characters. */
  readonly key: string
  /** SHA-256 of what was asked for, in hexadecimal. */
  readonly fingerprint: string
  readonly claimedAt: Date
  /** From this moment on the name is free again. */
  readonly expiresAt: Date
}

/** Makes the claim of a request that an account makes now. `content` is what it asks for, as a text: its body. */
export const claimRequest = (
  { accountId }: ApiKey,
  operation: string,
  key: string,
  content: string,
): Effect.Effect<IdempotencyClaim, never, Cryptography> =>
  Effect.map(Effect.zip(Cryptography, Effect.clock), ([{ sha256 }, clock]) => {
    const millis = clock.unsafeCurrentTimeMillis()
    return {
      accountId,
      operation,
      key,
      fingerprint: sha256(content),
      claimedAt: new Date(millis),
      expiresAt: new Date(millis + idempotencyLifetimeMillis),
    }
  })
