import { Effect, Layer, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { claimRequest } from "../src/claim-request.js"
import { Cryptography } from "../src/credentials/cryptography.js"

describe("claimRequest", () => {
  it("claims the key for 8 days, for the caller's account and the request body", async () => {
    const cryptography = Layer.succeed(Cryptography, {
      sha256: (text) => `hash of ${text}`,
      randomBytes: () => new Uint8Array(),
    })
    const claim = Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
      return yield* claimRequest({ accountId: "acc_1" }, "POST /v1/pets", "a-1", "{}")
    })
    const made = await Effect.runPromise(claim.pipe(Effect.provide(cryptography), Effect.provide(TestContext.TestContext)))
    expect(made).toStrictEqual({
      accountId: "acc_1",
      operation: "POST /v1/pets",
      key: "a-1",
      fingerprint: "hash of {}",
      claimedAt: new Date("2026-01-02T03:04:05.678Z"),
      expiresAt: new Date("2026-01-10T03:04:05.678Z"),
    })
  })
})
