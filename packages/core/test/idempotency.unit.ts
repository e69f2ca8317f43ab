import { Effect, Either, Layer, Option, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { AccountId, type ApiKey, ApiKeyId } from "../src/credential.js"
import { Cryptography } from "../src/cryptography.js"
import { claimRequest, decodeIdempotencyKey } from "../src/idempotency.js"

describe("decodeIdempotencyKey", () => {
  it("finds none without a header", () => {
    expect(decodeIdempotencyKey(undefined)).toStrictEqual(Either.right(Option.none()))
  })

  it.each([
    ["a", "a"],
    ['"a"', "a"],
    ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    ["!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"],
    ["k".repeat(255), "k".repeat(255)],
    [`"${"k".repeat(255)}"`, "k".repeat(255)],
  ])("reads %s", (header, key) => {
    expect(decodeIdempotencyKey(header)).toStrictEqual(Either.right(Option.some(key)))
  })

  it.each([
    "",
    " ",
    '""',
    '"',
    '"a',
    'a"',
    'a"b',
    '"a"b"',
    "a b",
    '"a b"',
    "a\tb",
    "é",
    "\u0000",
    "\u007F",
    "k".repeat(256),
    `"${"k".repeat(256)}"`,
  ])("refuses %j", (header) => {
    const refused = decodeIdempotencyKey(header)
    expect(Either.isLeft(refused) && refused.left).toMatchObject({
      parameter: "Idempotency-Key",
      expected: "expected one key of 1 to 255 visible ASCII characters, quoted or bare",
    })
  })
})

describe("claimRequest", () => {
  it("claims the key for 24 hours, for the account that calls and the body it sent", async () => {
    const caller: ApiKey = {
      id: ApiKeyId.make("key_1"),
      accountId: AccountId.make("acc_1"),
      deployment: "production",
      createdAt: new Date(0),
      expiresAt: Option.none(),
      revokedAt: Option.none(),
      lastUsedOn: Option.none(),
    }
    const cryptography = Layer.succeed(Cryptography, {
      sha256: (text) => `hash of ${text}`,
      randomBytes: () => new Uint8Array(),
    })
    const claim = Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
      return yield* claimRequest(caller, "POST /v1/pets", "a-1", "{}")
    })
    const made = await Effect.runPromise(claim.pipe(Effect.provide(cryptography), Effect.provide(TestContext.TestContext)))
    expect(made).toStrictEqual({
      accountId: "acc_1",
      operation: "POST /v1/pets",
      key: "a-1",
      fingerprint: "hash of {}",
      claimedAt: new Date("2026-01-02T03:04:05.678Z"),
      expiresAt: new Date("2026-01-03T03:04:05.678Z"),
    })
  })
})
