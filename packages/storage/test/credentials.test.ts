/** The use cases for accounts and API keys, on every adapter. Tests control the clock; everything else is real. */
import { createHash } from "node:crypto"
import {
  AccountNameTaken,
  AccountNotFound,
  ApiKeyChanged,
  ApiKeyNotFound,
  authenticate,
  CredentialRejected,
  CredentialRepository,
  Cryptography,
  createAccount,
  createApiKey,
  InvalidParameter,
  revokeApiKey,
  rotateApiKey,
} from "@petstore/core"
import { Cause, Effect, Either, Exit, Layer, Option, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { nodeCryptography } from "../src/node-cryptography.js"
import { adapters, storeOf } from "./adapters.js"
import { otherConnection, storeIn, withFile } from "./sqlite-file.js"

const start = Date.UTC(2026, 0, 31, 23, 59, 59, 998)

const atStart = new Date(start)

const afterMillis = (millis: number): Date => new Date(start + millis)

/** Creates a key for a new account. */
const newKey = (
  options: { readonly deployment?: "development" | "staging" | "production"; readonly lifetimeMillis?: number } = {},
) =>
  Effect.gen(function* () {
    const account = yield* createAccount("shop")
    const created = yield* createApiKey({
      accountName: "shop",
      deployment: options.deployment ?? "production",
      lifetimeMillis: options.lifetimeMillis,
    })
    return { account, ...created }
  })

const enter = (secret: string) => Effect.either(authenticate(secret, "production"))

const keys = Effect.flatMap(CredentialRepository, ({ listApiKeys }) => listApiKeys)

/** Gives the service time to record a key's use, because it records the use only after it has accepted the caller. */
const noticed = Effect.zipRight(
  Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
  Effect.ignore(Effect.flip(revokeApiKey("key_0"))),
)

const refused = (reason: CredentialRejected["reason"]) => Either.left(new CredentialRejected({ reason }))

for (const adapter of adapters) {
  describe(`credential management on ${adapter.name}`, () => {
    const empty = storeOf(adapter)
    const holds = (what: string, test: Effect.Effect<void, unknown, CredentialRepository | Cryptography>) =>
      it(what, async () => {
        const exit = await Effect.runPromiseExit(
          Effect.zipRight(TestClock.setTime(start), test).pipe(
            Effect.provide(Layer.merge(empty, nodeCryptography)),
            Effect.provide(TestContext.TestContext),
          ),
        )
        if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      })

    holds(
      "creates an account with a unique identifier and the current time",
      Effect.gen(function* () {
        const one = yield* createAccount("shop")
        const other = yield* createAccount("Shop")
        expect(one).toStrictEqual({ id: expect.stringMatching(/^acc_[0-9A-Za-z]{16}$/), name: "shop", createdAt: atStart })
        expect(other.id).not.toBe(one.id)
        expect(yield* Effect.flatMap(CredentialRepository, (credentials) => credentials.findAccount("shop"))).toStrictEqual(
          Option.some(one),
        )
      }),
    )

    holds(
      "refuses a second account with the same name",
      Effect.gen(function* () {
        yield* createAccount("shop")
        expect(yield* Effect.flip(createAccount("shop"))).toStrictEqual(new AccountNameTaken({ name: "shop" }))
      }),
    )

    for (const wrong of ["", " ", "a\0", "\uD800", "a".repeat(201)]) {
      holds(
        `refuses an account named ${JSON.stringify(wrong)}, and stores nothing`,
        Effect.gen(function* () {
          expect(yield* Effect.flip(createAccount(wrong))).toBeInstanceOf(InvalidParameter)
          expect(yield* Effect.flatMap(CredentialRepository, ({ listAccounts }) => listAccounts)).toStrictEqual([])
        }),
      )
    }

    holds(
      "creates a key that its account can use immediately",
      Effect.gen(function* () {
        const { account, apiKey, secret } = yield* newKey()
        expect(apiKey).toStrictEqual({
          id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
          accountId: account.id,
          deployment: "production",
          createdAt: atStart,
          expiresAt: Option.none(),
          revokedAt: Option.none(),
          lastUsedOn: Option.none(),
          label: Option.none(),
          readOnly: false,
        })
        expect(secret).toMatch(/^pst_live_[0-9A-Za-z]{38}$/)
        expect(yield* enter(secret)).toMatchObject({ _tag: "Right", right: { id: apiKey.id, accountId: account.id } })
      }),
    )

    holds(
      "stores a key's SHA-256 and not the key",
      Effect.gen(function* () {
        const { apiKey, secret } = yield* newKey()
        const hash = createHash("sha256").update(secret).digest("hex")
        const credentials = yield* CredentialRepository
        expect(yield* credentials.findApiKey(hash)).toStrictEqual(Option.some(apiKey))
        expect(yield* credentials.findApiKey(secret)).toStrictEqual(Option.none())
        expect(JSON.stringify([yield* credentials.listApiKeys, yield* credentials.listAccounts])).not.toContain(secret)
      }),
    )

    holds(
      "creates a different key every time, even for the same account",
      Effect.gen(function* () {
        const first = yield* newKey()
        const again = { accountName: "shop", deployment: "production" } as const
        const more = yield* Effect.all(Array.from({ length: 20 }, () => createApiKey(again)))
        const secrets = [first, ...more].map(({ secret }) => secret)
        expect(new Set(secrets).size).toBe(21)
        const entered = yield* Effect.forEach(secrets, enter)
        expect(new Set(entered.map((either) => Either.getOrThrow(either).id)).size).toBe(21)
      }),
    )

    holds(
      "does not create a key for an account that does not exist",
      Effect.gen(function* () {
        const lost = createApiKey({ accountName: "shop", deployment: "production" })
        expect(yield* Effect.flip(lost)).toStrictEqual(new AccountNotFound({ name: "shop" }))
        expect(yield* keys).toStrictEqual([])
      }),
    )

    holds(
      "accepts a key only until its expiry",
      Effect.gen(function* () {
        const { apiKey, secret } = yield* newKey({ lifetimeMillis: 1000 })
        expect(apiKey.expiresAt).toStrictEqual(Option.some(afterMillis(1000)))
        yield* TestClock.adjust(999)
        expect((yield* enter(secret))._tag).toBe("Right")
        yield* TestClock.adjust(1)
        expect(yield* enter(secret)).toStrictEqual(refused("unknown"))
        yield* TestClock.adjust(365 * 24 * 60 * 60 * 1000)
        expect(yield* enter(secret)).toStrictEqual(refused("unknown"))
      }),
    )

    holds(
      "refuses a lifetime whose expiry is not a valid date",
      Effect.gen(function* () {
        const { apiKey } = yield* newKey()
        for (const millis of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1]) {
          const create = createApiKey({ accountName: "shop", deployment: "production", lifetimeMillis: millis })
          const rotate = rotateApiKey(apiKey.id, { overlapMillis: millis })
          const reason = { left: { _tag: "InvalidParameter", received: String(millis) } }
          expect([yield* Effect.either(create), yield* Effect.either(rotate)]).toMatchObject([reason, reason])
        }
        expect(yield* keys).toStrictEqual([apiKey])
      }),
    )

    holds(
      "refuses a revoked key immediately, and still accepts other keys",
      Effect.gen(function* () {
        const { apiKey, secret } = yield* newKey()
        const other = yield* createApiKey({ accountName: "shop", deployment: "production" })
        expect((yield* enter(secret))._tag).toBe("Right")
        expect(yield* revokeApiKey(apiKey.id)).toMatchObject({ id: apiKey.id, revokedAt: Option.some(atStart) })
        expect(yield* enter(secret)).toStrictEqual(refused("unknown"))
        expect((yield* enter(other.secret))._tag).toBe("Right")
      }),
    )

    holds(
      "keeps the time of the first revocation if a key is revoked twice",
      Effect.gen(function* () {
        const { apiKey } = yield* newKey()
        yield* revokeApiKey(apiKey.id)
        yield* TestClock.adjust(5000)
        expect((yield* revokeApiKey(apiKey.id)).revokedAt).toStrictEqual(Option.some(atStart))
      }),
    )

    holds(
      "fails if there is no key to revoke",
      Effect.gen(function* () {
        const { secret } = yield* newKey()
        expect(yield* Effect.flip(revokeApiKey("key_0"))).toStrictEqual(new ApiKeyNotFound({ keyId: "key_0" }))
        expect((yield* enter(secret))._tag).toBe("Right")
      }),
    )

    holds(
      "creates one successor and fails for the second caller if two callers rotate a key concurrently",
      Effect.gen(function* () {
        const { apiKey } = yield* newKey({ lifetimeMillis: 1000 })
        const credentials = yield* CredentialRepository
        // Both callers read the key before either changes it.
        const bothHaveRead = yield* Effect.makeLatch()
        let readers = 0
        const listApiKeys = Effect.tap(credentials.listApiKeys, () => {
          readers += 1
          return readers === 2 ? bothHaveRead.open : bothHaveRead.await
        })
        const rotate = Effect.either(rotateApiKey(apiKey.id, { overlapMillis: 86_400_000 }))
        const outcomes = yield* Effect.all([rotate, rotate], { concurrency: 2 }).pipe(
          Effect.provideService(CredentialRepository, { ...credentials, listApiKeys }),
        )
        const [successor] = outcomes.flatMap((outcome) => (Either.isRight(outcome) ? [outcome.right.apiKey] : []))
        expect(outcomes.filter(Either.isLeft)).toStrictEqual([Either.left(new ApiKeyChanged({ keyId: apiKey.id }))])
        const expiring = { ...apiKey, expiresAt: Option.some(afterMillis(1000)) }
        expect(new Set(yield* keys)).toStrictEqual(new Set([expiring, successor]))
      }),
    )

    holds(
      "records the day of a key's last use, in UTC",
      Effect.gen(function* () {
        const { secret } = yield* newKey()
        const lastUses = Effect.zipRight(
          noticed,
          Effect.map(keys, (found) => found.map(({ lastUsedOn }) => Option.getOrNull(lastUsedOn))),
        )
        // On PostgreSQL, the use is recorded on a separate connection, perhaps after the next write.
        const changed = (before: string | null) => Effect.repeat(lastUses, { while: ([day]) => day === before })
        expect(yield* lastUses).toStrictEqual([null])
        yield* enter(secret)
        expect(yield* changed(null)).toStrictEqual(["2026-01-31"])
        yield* TestClock.adjust(1)
        yield* enter(secret)
        expect(yield* lastUses).toStrictEqual(["2026-01-31"])
        yield* TestClock.adjust(1)
        yield* enter(secret)
        expect(yield* changed("2026-01-31")).toStrictEqual(["2026-02-01"])
      }),
    )

    holds(
      "does not record a refused use",
      Effect.gen(function* () {
        const { apiKey, secret } = yield* newKey()
        yield* revokeApiKey(apiKey.id)
        yield* enter(secret)
        yield* noticed
        expect((yield* keys).map(({ lastUsedOn }) => lastUsedOn)).toStrictEqual([Option.none()])
      }),
    )

    holds(
      "reports malformed, mistyped and unknown keys differently",
      Effect.gen(function* () {
        const { secret } = yield* newKey()
        const unknown = "pst_live_0123456789ABCDEFGHIJKLMNOPQRSTUV3IxtmM"
        expect(yield* enter("secret")).toStrictEqual(refused("format"))
        expect(yield* enter(secret.slice(0, -1) + (secret.endsWith("0") ? "1" : "0"))).toStrictEqual(refused("checksum"))
        expect(yield* enter(unknown)).toStrictEqual(refused("unknown"))
      }),
    )

    holds(
      "refuses another deployment's key, even if the key is in the store",
      Effect.gen(function* () {
        const { secret } = yield* newKey({ deployment: "staging" })
        expect(yield* enter(secret)).toStrictEqual(refused({ keyOf: "staging" }))
        expect((yield* Effect.either(authenticate(secret, "staging")))._tag).toBe("Right")
      }),
    )
  })
}

describe("a store that cannot write", () => {
  withFile("still authenticates callers", (path) =>
    Effect.gen(function* () {
      const { apiKey, secret } = yield* newKey()
      const other = yield* otherConnection(path)
      other.exec("BEGIN IMMEDIATE")
      const startedAt = performance.now()
      expect(
        yield* Effect.map(
          enter(secret),
          Either.map(({ id }) => id),
        ),
      ).toStrictEqual(Either.right(apiKey.id))
      // A write would have waited two seconds for the lock.
      expect(performance.now() - startedAt).toBeLessThan(1_900)
      other.exec("ROLLBACK")
    }).pipe(Effect.provide(Layer.merge(storeIn(path), nodeCryptography))),
  )
})

describe("Node's cryptography", () => {
  const cryptography = Effect.runSync(Effect.provide(Cryptography, nodeCryptography))

  it("hashes the UTF-8 bytes of text", () => {
    // The values come from the examples for FIPS 180-4, and from sha256sum.
    expect(cryptography.sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    expect(cryptography.sha256("🐕")).toBe("445ead5a34e30f09720cf52909597af11bf2c422f8a126a98b6c1ead9d928255")
  })

  it("returns the requested number of bytes, and different bytes every time", () => {
    const [one, other] = [cryptography.randomBytes(32), cryptography.randomBytes(32)]
    expect([one.length, other.length, cryptography.randomBytes(0).length]).toStrictEqual([32, 32, 0])
    expect(one).not.toStrictEqual(other)
  })
})
