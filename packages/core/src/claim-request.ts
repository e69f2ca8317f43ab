import * as Effect from "effect/Effect"
import type { ApiKey } from "./credentials/credential.js"
import { Cryptography } from "./credentials/cryptography.js"
import { type IdempotencyClaim, idempotencyLifetimeMillis } from "./idempotency.js"

/**
 * Creates the idempotency claim for an account's request. `content` is the request's body, as text.
 *
 * @example
 * const pet = { name: "Bello", categoryId: 7n }
 * const claim = yield* Effect.provide(claimRequest({ accountId: "shop" }, "createPet", "import-7", encodePet({ ...pet, id: 0n })), nodeCryptography)
 * yield* createPetOnce(pet, claim) // { value: { id: 1n, name: "Bello", categoryId: 7n }, isNew: true }
 */
export const claimRequest = (
  { accountId }: Pick<ApiKey, "accountId">,
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
