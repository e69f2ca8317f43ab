import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { checkIdempotencyKey } from "../contract/idempotency-key.js"
import { type IdempotencyClaim, idempotencyLifetimeMillis } from "../idempotency.js"
import type { InvalidParameter } from "../json/invalid-input.js"
import type { OnceOptions } from "./catalogue.js"

/** Every platform has these parts of the Web APIs. */
declare const crypto: { readonly subtle: { readonly digest: (name: "SHA-256", bytes: Uint8Array) => Promise<ArrayBuffer> } }
declare const TextEncoder: new () => { readonly encode: (text: string) => Uint8Array }

const sha256 = async (text: string): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")

/** The account of all calls without an `accountId`. No real account has an identifier of this form. */
const noAccount = "in-process"

/** Creates a call's claim. The same `content` always results in the same fingerprint. */
export const claimCall = (
  operation: string,
  key: string,
  content: ReadonlyArray<string | null>,
  { accountId = noAccount }: OnceOptions = {},
): Effect.Effect<IdempotencyClaim, InvalidParameter> =>
  Effect.gen(function* () {
    yield* checkIdempotencyKey(key)
    const fingerprint = yield* Effect.promise(() => sha256(JSON.stringify(content)))
    const millis = yield* Clock.currentTimeMillis
    const [claimedAt, expiresAt] = [new Date(millis), new Date(millis + idempotencyLifetimeMillis)]
    return { accountId, operation, key, fingerprint, claimedAt, expiresAt }
  })
