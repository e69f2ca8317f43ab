import { type IdempotencyClaim, IdempotencyKeyReused, type MadeOnce } from "@petstore/core"
import * as Effect from "effect/Effect"

/** The claims by account, operation and key, oldest first, each with its request's result. */
export type Claims<A> = Map<string, { readonly claim: IdempotencyClaim; readonly made: A }>

/** Removes expired claims, oldest first. All claims have the same lifetime, so the oldest expire first. */
const removeExpired = (claims: Claims<unknown>, now: Date): void => {
  for (const [name, { claim }] of claims) {
    if (claim.expiresAt > now) return
    claims.delete(name)
  }
}

/** Returns the function that calls `make` for the first request with a key, and gives later requests the same result. */
export const memoryIdempotency =
  <A>(claims: Claims<A> = new Map()) =>
  <E>(claim: IdempotencyClaim, make: Effect.Effect<A, E>): Effect.Effect<MadeOnce<A>, E | IdempotencyKeyReused> =>
    Effect.gen(function* () {
      const name = JSON.stringify([claim.accountId, claim.operation, claim.key])
      const first = claims.get(name)
      if (first !== undefined && first.claim.expiresAt > claim.claimedAt) {
        if (first.claim.fingerprint !== claim.fingerprint) return yield* new IdempotencyKeyReused({ key: claim.key })
        return { value: first.made, isNew: false }
      }
      const made = yield* make
      removeExpired(claims, claim.claimedAt)
      // The claim of a reused key becomes the newest. Without the deletion, the map would keep the key's old position.
      claims.delete(name)
      claims.set(name, { claim, made })
      return { value: made, isNew: true }
    })
