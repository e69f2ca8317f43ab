import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Account } from "../credentials/account.js"
import type { ApiKey } from "../credentials/credential.js"
import { CredentialRepository } from "../credentials/credential-repository.js"
import { deployments } from "../credentials/deployment.js"
import { AccountNameTaken } from "../errors.js"
import { atOnce, contractSuite, refuses } from "./promise.js"
import { describe, expect } from "./runner.js"
import { unusualTexts } from "./unusual-values.js"

const at = (text: string): Date => new Date(text)

const newAccount = (id: string, rest: Partial<Account> = {}): Account => ({
  id: `acc_${id}`,
  name: id,
  createdAt: at("2026-01-02T03:04:05.678Z"),
  ...rest,
})

const newApiKey = (id: string, rest: Partial<ApiKey> = {}): ApiKey => ({
  id: `key_${id}`,
  accountId: "acc_owner",
  deployment: "production",
  createdAt: at("2026-01-02T03:04:05.678Z"),
  expiresAt: Option.none(),
  revokedAt: Option.none(),
  lastUsedOn: Option.none(),
  label: Option.none(),
  readOnly: false,
  ...rest,
})

const hash = (number: number): string => number.toString(16).padStart(64, "0")

/** Inserts API keys with these values, each under the hash of its index. Returns them. */
const insertApiKeys = <const Given extends ReadonlyArray<Partial<ApiKey>>>(...given: Given) =>
  Effect.gen(function* () {
    const credentials = yield* CredentialRepository
    yield* credentials.insertAccount(newAccount("owner"))
    const keys = given.map((values, index) => newApiKey(String(index), values))
    yield* Effect.forEach(keys, (key, index) => credentials.insertApiKey(key, hash(index)))
    // Safe: there is one key for each value.
    return keys as { readonly [Index in keyof Given]: ApiKey }
  })

const timestamps = [
  "2026-01-02T03:04:05.678Z",
  "2026-01-02T03:04:05.001Z",
  "1970-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
].map(at)

/** Declares the contract suite for `CredentialRepository`. */
export const credentialRepositoryContract = contractSuite(CredentialRepository, (promise) => {
  describe("accounts", () => {
    const promiseToKeep = (name: string, account: Account) =>
      promise(name, function* (credentials) {
        yield* credentials.insertAccount(account)
        expect(yield* credentials.findAccount(account.name)).toStrictEqual(Option.some(account))
        expect(yield* credentials.listAccounts).toStrictEqual([account])
      })

    for (const [what, name] of Object.entries(unusualTexts)) {
      promiseToKeep(`are found by a name ${what}`, newAccount("one", { name }))
    }
    for (const createdAt of timestamps) {
      promiseToKeep(`keep the creation time ${createdAt.toISOString()} to the millisecond`, newAccount("one", { createdAt }))
    }

    promise("do not exist until they are inserted", function* (credentials) {
      expect(yield* credentials.listAccounts).toStrictEqual([])
      expect(yield* credentials.findAccount("shop")).toStrictEqual(Option.none())
    })

    promise("are listed oldest first, whatever the insertion order", function* (credentials) {
      const [second, third, first] = [
        newAccount("second", { createdAt: at("2026-02-01T00:00:00.001Z") }),
        newAccount("third", { createdAt: at("2026-02-01T00:00:00.002Z") }),
        newAccount("a first", { createdAt: at("2025-12-31T23:59:59.999Z") }),
      ]
      yield* Effect.forEach([second, third, first], credentials.insertAccount)
      expect(yield* credentials.listAccounts).toStrictEqual([first, second, third])
    })

    promise("have unique names: a second account with the same name is refused and changes nothing", function* (credentials) {
      const account = newAccount("shop")
      yield* credentials.insertAccount(account)
      const second = newAccount("other", { name: "shop", createdAt: at("2026-03-01T00:00:00.000Z") })
      yield* refuses(credentials.insertAccount(second), new AccountNameTaken({ name: "shop" }))
      expect(yield* credentials.listAccounts).toStrictEqual([account])
    })

    promise("can have names that differ only in case, normalisation, white space or wildcards", function* (credentials) {
      const names = ["Caf\u00E9", "Cafe\u0301", "CAF\u00C9", "caf\u00E9", "Caf\u00E9 ", " Caf\u00E9", "Caf_", "Caf%", "C*"]
      const accounts = names.map((name, index) => newAccount(String(index), { name }))
      yield* Effect.forEach(accounts, credentials.insertAccount)
      expect(yield* Effect.forEach(names, credentials.findAccount)).toStrictEqual(accounts.map(Option.some))
    })

    promise("are stored once if several with the same name are created concurrently", function* (credentials) {
      const accounts = Array.from({ length: 10 }, (_, index) => newAccount(String(index), { name: "shop" }))
      const results = yield* atOnce(accounts, (account) => Effect.either(credentials.insertAccount(account)))
      const winners = accounts.filter((_, index) => results[index]?._tag === "Right")
      expect(winners).toHaveLength(1)
      expect(yield* credentials.listAccounts).toStrictEqual(winners)
    })
  })

  describe("disableAccount and enableAccount", () => {
    const timestamp = at("2026-05-06T07:08:09.010Z")

    promise("refuse the account's keys from now on and accept them again, and return the account", function* (credentials) {
      yield* credentials.insertAccount(newAccount("other"))
      const [key, other] = yield* insertApiKeys({}, { accountId: "acc_other" })
      const account = newAccount("owner")
      const disabled = { ...account, disabledAt: timestamp }
      expect(yield* credentials.disableAccount("owner", timestamp)).toStrictEqual(Option.some(disabled))
      expect(yield* credentials.findAccount("owner")).toStrictEqual(Option.some(disabled))
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.none())
      expect(yield* credentials.findApiKey(hash(1))).toStrictEqual(Option.some(other))
      expect(new Set(yield* credentials.listApiKeys)).toStrictEqual(new Set([key, other]))
      expect(yield* credentials.enableAccount("owner")).toStrictEqual(Option.some(account))
      expect(new Set(yield* credentials.listAccounts)).toStrictEqual(new Set([account, newAccount("other")]))
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some(key))
    })

    promise("keep the first time, and refuse keys that are inserted later", function* (credentials) {
      yield* credentials.insertAccount(newAccount("owner"))
      yield* credentials.disableAccount("owner", timestamp)
      yield* credentials.insertApiKey(newApiKey("later"), hash(0))
      const again = yield* credentials.disableAccount("owner", at("2026-05-06T07:08:09.011Z"))
      expect(Option.map(again, ({ disabledAt }) => disabledAt)).toStrictEqual(Option.some(timestamp))
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.none())
    })

    promise("return nothing and change no other account if the account does not exist", function* (credentials) {
      yield* credentials.insertAccount(newAccount("owner"))
      expect(yield* credentials.disableAccount("other", timestamp)).toStrictEqual(Option.none())
      expect(yield* credentials.enableAccount("other")).toStrictEqual(Option.none())
      expect(yield* credentials.listAccounts).toStrictEqual([newAccount("owner")])
    })
  })

  describe("API keys", () => {
    const promiseToKeep = (what: string, rest: Partial<ApiKey>) =>
      promise(`keep ${what}`, function* (credentials) {
        const [key] = yield* insertApiKeys(rest)
        expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some(key))
        expect(yield* credentials.listApiKeys).toStrictEqual([key])
      })

    for (const deployment of deployments) promiseToKeep(`the deployment ${deployment}`, { deployment })
    for (const timestamp of timestamps) {
      const date = timestamp.toISOString()
      promiseToKeep(`the creation time ${date}`, { createdAt: timestamp })
      promiseToKeep(`the expiry time ${date}`, { expiresAt: Option.some(timestamp) })
      promiseToKeep(`the revocation time ${date}`, { revokedAt: Option.some(timestamp) })
    }
    for (const [what, label] of Object.entries(unusualTexts)) {
      promiseToKeep(`a label ${what}`, { label: Option.some(label) })
    }
    promiseToKeep("the restriction to reading", { readOnly: true })
    promiseToKeep("the day of their last use", { lastUsedOn: Option.some("2026-01-31") })

    promise("are found only by their own hash", function* (credentials) {
      const [one, other] = yield* insertApiKeys({}, {})
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some(one))
      expect(yield* credentials.findApiKey(hash(1))).toStrictEqual(Option.some(other))
      expect(yield* credentials.findApiKey(hash(2))).toStrictEqual(Option.none())
      expect(yield* credentials.findApiKey("")).toStrictEqual(Option.none())
    })

    promise("are listed oldest first, whatever the insertion order", function* (credentials) {
      const [second, third, first] = yield* insertApiKeys(
        { createdAt: at("2026-02-01T00:00:00.001Z") },
        { createdAt: at("2026-02-01T00:00:00.002Z") },
        { createdAt: at("2025-12-31T23:59:59.999Z") },
      )
      expect(yield* credentials.listApiKeys).toStrictEqual([first, second, third])
    })

    promise("do not exist until they are inserted", function* (credentials) {
      expect(yield* credentials.listApiKeys).toStrictEqual([])
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.none())
    })
  })

  describe("revokeApiKey", () => {
    const timestamp = at("2026-05-06T07:08:09.010Z")

    promise("revokes the key from the given time on, and returns the key", function* (credentials) {
      const [key, other] = yield* insertApiKeys({ lastUsedOn: Option.some("2026-05-05") }, {})
      const revoked = { ...key, revokedAt: Option.some(timestamp) }
      expect(yield* credentials.revokeApiKey(key.id, timestamp)).toStrictEqual(Option.some(revoked))
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some(revoked))
      expect(yield* credentials.findApiKey(hash(1))).toStrictEqual(Option.some(other))
    })

    promise("keeps the first revocation time of a key", function* (credentials) {
      const [key] = yield* insertApiKeys({})
      yield* credentials.revokeApiKey(key.id, timestamp)
      const revoked = Option.some({ ...key, revokedAt: Option.some(timestamp) })
      expect(yield* credentials.revokeApiKey(key.id, at("2026-05-06T07:08:09.011Z"))).toStrictEqual(revoked)
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(revoked)
    })

    promise("returns nothing and changes no other key if the key does not exist", function* (credentials) {
      const [key] = yield* insertApiKeys({})
      expect(yield* credentials.revokeApiKey("key_other", timestamp)).toStrictEqual(Option.none())
      expect(yield* credentials.listApiKeys).toStrictEqual([key])
    })
  })

  describe("replaceApiKey", () => {
    const timestamp = at("2026-05-06T07:08:09.010Z")
    const [earlier, later] = [at("2026-05-06T07:08:09.009Z"), at("2026-05-06T07:08:09.011Z")]
    const ends = { "never expires": Option.none(), "expires later": Option.some(later), "expires earlier": Option.some(earlier) }
    const made = newApiKey("made", { expiresAt: Option.some(later), label: Option.some("till"), readOnly: true })

    for (const [what, expiresAt] of Object.entries(ends)) {
      promise(`stores the new key, and returns the former key, which ${what}, with the given expiry`, function* (credentials) {
        const [key, other] = yield* insertApiKeys({ expiresAt, label: Option.some("till") }, {})
        const expiring = { ...key, expiresAt: Option.some(timestamp) }
        expect(yield* credentials.replaceApiKey(key.id, timestamp, made, hash(2))).toStrictEqual(Option.some(expiring))
        expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some(expiring))
        expect(yield* credentials.findApiKey(hash(1))).toStrictEqual(Option.some(other))
        expect(yield* credentials.findApiKey(hash(2))).toStrictEqual(Option.some(made))
      })

      promise(`performs exactly one of several concurrent replacements of a key that ${what}`, function* (credentials) {
        const [key] = yield* insertApiKeys({ expiresAt })
        const successors = Array.from({ length: 3 }, (_, index) => newApiKey(`made ${index}`))
        const replaced = yield* atOnce(successors, (successor, index) =>
          credentials.replaceApiKey(key.id, timestamp, successor, hash(index + 1)),
        )
        const expiring = { ...key, expiresAt: Option.some(timestamp) }
        expect(replaced.filter(Option.isSome)).toStrictEqual([Option.some(expiring)])
        const winner = successors.filter((_, index) => Option.isSome(replaced[index] ?? Option.none()))
        expect(new Set(yield* credentials.listApiKeys)).toStrictEqual(new Set([expiring, ...winner]))
      })
    }

    promise("stores and returns nothing for a revoked key", function* (credentials) {
      const [key] = yield* insertApiKeys({ revokedAt: Option.some(earlier) })
      expect(yield* credentials.replaceApiKey(key.id, timestamp, made, hash(2))).toStrictEqual(Option.none())
      expect(yield* credentials.listApiKeys).toStrictEqual([key])
    })

    promise("stores and returns nothing for a key that was already replaced", function* (credentials) {
      const [key] = yield* insertApiKeys({})
      yield* credentials.replaceApiKey(key.id, later, made, hash(2))
      expect(yield* credentials.replaceApiKey(key.id, timestamp, newApiKey("again"), hash(3))).toStrictEqual(Option.none())
      expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some({ ...key, expiresAt: Option.some(later) }))
      expect(yield* credentials.findApiKey(hash(3))).toStrictEqual(Option.none())
    })

    promise("stores and returns nothing for a key that does not exist", function* (credentials) {
      const [key] = yield* insertApiKeys({})
      expect(yield* credentials.replaceApiKey("key_other", timestamp, made, hash(2))).toStrictEqual(Option.none())
      expect(yield* credentials.findApiKey(hash(2))).toStrictEqual(Option.none())
      expect(yield* credentials.listApiKeys).toStrictEqual([key])
    })
  })

  describe("recordApiKeyUse", () => {
    for (const [before, day, after] of [
      [undefined, "2026-01-31", "2026-01-31"],
      ["2026-01-31", "2026-02-01", "2026-02-01"],
      ["2026-01-31", "2026-01-31", "2026-01-31"],
      ["2026-01-31", "2026-01-30", "2026-01-31"],
      ["2026-01-31", "2025-12-31", "2026-01-31"],
    ] as const) {
      promise(`records ${after} for a use on ${day} if the record was ${before ?? "empty"}`, function* (credentials) {
        const [key, other] = yield* insertApiKeys({ lastUsedOn: Option.fromNullable(before) }, {})
        yield* credentials.recordApiKeyUse(key.id, day)
        expect(yield* credentials.findApiKey(hash(0))).toStrictEqual(Option.some({ ...key, lastUsedOn: Option.some(after) }))
        expect(yield* credentials.findApiKey(hash(1))).toStrictEqual(Option.some(other))
      })
    }

    promise("changes nothing for a key that does not exist", function* (credentials) {
      const [key] = yield* insertApiKeys({})
      yield* credentials.recordApiKeyUse("key_other", "2026-01-31")
      expect(yield* credentials.listApiKeys).toStrictEqual([key])
    })
  })
})
