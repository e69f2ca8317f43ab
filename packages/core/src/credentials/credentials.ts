import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { randomBase62 } from "../base62.js"
import {
  type AccountNameTaken,
  AccountNotFound,
  ApiKeyChanged,
  ApiKeyInactive,
  ApiKeyNotFound,
  ApiKeyReadOnly,
  CredentialRejected,
  type StorageUnavailable,
} from "../errors.js"
import { type InvalidParameter, refused } from "../json/invalid-input.js"
import { showJson } from "../json/json.js"
import { isStorableText, storableTextExpectation } from "../json/text.js"
import { useCase } from "../use-case.js"
import type { Account, NewApiKey } from "./account.js"
import { decodeApiKey, generateApiKey } from "./api-key.js"
import { type ApiKey, textMaximum } from "./credential.js"
import { CredentialRepository } from "./credential-repository.js"
import { Cryptography } from "./cryptography.js"
import type { Deployment } from "./deployment.js"

const identifier = (prefix: string) => Effect.map(Cryptography, ({ randomBytes }) => prefix + randomBase62(16, randomBytes))

const checkText = (parameter: string, text: string): Either.Either<void, InvalidParameter> =>
  typeof text === "string" && isStorableText(text, textMaximum)
    ? Either.void
    : refused(parameter, storableTextExpectation(textMaximum), showJson(text))

/** Creates an account. Fails with `InvalidParameter` if `name` is not an `AccountName`, or with `AccountNameTaken`. */
export const createAccount = (
  name: string,
): Effect.Effect<Account, InvalidParameter | AccountNameTaken | StorageUnavailable, CredentialRepository | Cryptography> =>
  useCase(
    "createAccount",
    Effect.gen(function* () {
      yield* checkText("name", name)
      const credentials = yield* CredentialRepository
      const account = { id: yield* identifier("acc_"), name, createdAt: yield* DateTime.nowAsDate }
      yield* credentials.insertAccount(account)
      return account
    }),
  )

const orAccountNotFound = <E>(name: string, found: Effect.Effect<Option.Option<Account>, E>) =>
  Effect.flatMap(found, (account) => (Option.isSome(account) ? Effect.succeed(account.value) : new AccountNotFound({ name })))

/**
 * Disables an account: all its keys are refused until it is enabled. Repeating the call is harmless. Fails with `AccountNotFound`.
 * @experimental
 */
export const disableAccount = (
  name: string,
): Effect.Effect<Account, AccountNotFound | StorageUnavailable, CredentialRepository> =>
  useCase(
    "disableAccount",
    Effect.gen(function* () {
      const credentials = yield* CredentialRepository
      return yield* orAccountNotFound(name, credentials.disableAccount(name, yield* DateTime.nowAsDate))
    }),
  )

/** Enables an account. Repeating the call is harmless. Fails with `AccountNotFound`. @experimental */
export const enableAccount = (name: string): Effect.Effect<Account, AccountNotFound | StorageUnavailable, CredentialRepository> =>
  useCase(
    "enableAccount",
    Effect.flatMap(CredentialRepository, (credentials) => orAccountNotFound(name, credentials.enableAccount(name))),
  )

/** Lists all accounts, oldest first. */
export const listAccounts: Effect.Effect<
  ReadonlyArray<Account>,
  StorageUnavailable,
  CredentialRepository
> = /* @__PURE__ */ useCase(
  "listAccounts",
  /* @__PURE__ */ Effect.flatMap(CredentialRepository, (credentials) => credentials.listAccounts),
)

/** Lists all API keys, oldest first, including expired and revoked ones. */
export const listApiKeys: Effect.Effect<
  ReadonlyArray<ApiKey>,
  StorageUnavailable,
  CredentialRepository
> = /* @__PURE__ */ useCase(
  "listApiKeys",
  /* @__PURE__ */ Effect.flatMap(CredentialRepository, (credentials) => credentials.listApiKeys),
)

/** A new API key and its secret, which is shown once and never stored. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey
  /** The secret that the caller presents. It cannot be retrieved later. */
  readonly secret: string
}

/** Adds milliseconds to a timestamp. Fails if the result is not a valid date, which a store would save as no expiry. */
const after = (from: Date, parameter: string, millis: number): Either.Either<Date, InvalidParameter> => {
  const date = new Date(from.getTime() + millis)
  return millis >= 0 && !Number.isNaN(date.getTime())
    ? Either.right(date)
    : refused(parameter, "a number of milliseconds, 0 or more, that results in a valid date", showJson(millis))
}

/** Creates a new API key for an account, and its hash. Stores nothing. */
const makeKey = (
  key: Pick<ApiKey, "accountId" | "deployment" | "createdAt" | "expiresAt" | "label" | "readOnly">,
): Effect.Effect<CreatedApiKey & { readonly hash: string }, never, Cryptography> =>
  Effect.gen(function* () {
    const { randomBytes, sha256 } = yield* Cryptography
    const secret = generateApiKey(key.deployment, randomBytes)
    const id = yield* identifier("key_")
    return { apiKey: { ...key, id, revokedAt: Option.none(), lastUsedOn: Option.none() }, secret, hash: sha256(secret) }
  })

/**
 * Creates an API key for the account with this name. Fails with `AccountNotFound`, and with `InvalidParameter` if the label is
 * not a `KeyLabel`, if the lifetime does not result in a valid date, or if `readOnly` is not a boolean.
 *
 * @example
 * const { id } = yield* Effect.provide(createAccount("Ada's shop"), nodeCryptography)
 * const options = { accountName: "Ada's shop", deployment: "development" } as const
 * const { apiKey, secret } = yield* Effect.provide(createApiKey(options), nodeCryptography)
 * apiKey.accountId // id
 * const caller = yield* Effect.provide(authenticate(secret, "development"), nodeCryptography)
 * caller.id // apiKey.id
 */
export const createApiKey = (
  options: NewApiKey,
): Effect.Effect<CreatedApiKey, AccountNotFound | InvalidParameter | StorageUnavailable, CredentialRepository | Cryptography> =>
  useCase(
    "createApiKey",
    Effect.gen(function* () {
      const { accountName, deployment, lifetimeMillis, label, readOnly = false } = options
      if (label !== undefined) yield* checkText("label", label)
      if (typeof readOnly !== "boolean") return yield* refused("readOnly", "true or false", showJson(readOnly))
      const credentials = yield* CredentialRepository
      const account = yield* orAccountNotFound(accountName, credentials.findAccount(accountName))
      const createdAt = yield* DateTime.nowAsDate
      const expiresAt =
        lifetimeMillis === undefined ? Option.none() : Option.some(yield* after(createdAt, "lifetimeMillis", lifetimeMillis))
      const { apiKey, secret, hash } = yield* makeKey({
        accountId: account.id,
        deployment,
        createdAt,
        expiresAt,
        label: Option.fromNullable(label),
        readOnly,
      })
      yield* credentials.insertApiKey(apiKey, hash)
      return { apiKey, secret }
    }),
  )

const firstAccountName = "development"

/** Creates an API key if a development store has none, so that the first request needs no setup. Returns the key's secret. */
export const mintFirstApiKey: Effect.Effect<
  Option.Option<string>,
  StorageUnavailable,
  CredentialRepository | Cryptography
> = /* @__PURE__ */ Effect.gen(function* () {
  const credentials = yield* CredentialRepository
  if ((yield* credentials.listApiKeys).length > 0) return Option.none()
  // The account may already exist, if an earlier start was killed between these two steps.
  yield* Effect.catchTags(createAccount(firstAccountName), { AccountNameTaken: () => Effect.void, InvalidParameter: Effect.die })
  const { secret } = yield* Effect.catchTags(createApiKey({ accountName: firstAccountName, deployment: "development" }), {
    AccountNotFound: Effect.die,
    InvalidParameter: Effect.die,
  })
  return Option.some(secret)
})

/** A new API key, and the key that it replaces. */
export interface RotatedApiKey extends CreatedApiKey {
  /** The replaced key, which is still accepted until it expires. */
  readonly former: ApiKey
}

/**
 * Creates an API key that replaces another one. The former key is still accepted for some time. The new key has the same account,
 * deployment, label, scope and lifetime. Fails with `ApiKeyNotFound`, with `ApiKeyInactive` if the former key is revoked or
 * expired, with `ApiKeyChanged` if it was already rotated (by a release that records rotations) or is being revoked concurrently,
 * and with `InvalidParameter` if the overlap does not result in a valid date.
 *
 * @param overlapMillis  ms until the former key expires, unless it expires earlier
 */
export const rotateApiKey = (
  keyId: string,
  { overlapMillis }: { readonly overlapMillis: number },
): Effect.Effect<
  RotatedApiKey,
  ApiKeyNotFound | ApiKeyInactive | ApiKeyChanged | InvalidParameter | StorageUnavailable,
  CredentialRepository | Cryptography
> =>
  useCase(
    "rotateApiKey",
    Effect.gen(function* () {
      const credentials = yield* CredentialRepository
      const found = (yield* credentials.listApiKeys).find(({ id }) => id === keyId)
      if (found === undefined) return yield* new ApiKeyNotFound({ keyId })
      const createdAt = yield* DateTime.nowAsDate
      if (!isUsable(found, createdAt)) return yield* new ApiKeyInactive({ keyId })
      const { accountId, deployment, label, readOnly } = found
      const expiresAt = Option.map(
        found.expiresAt,
        (date) => new Date(createdAt.getTime() + date.getTime() - found.createdAt.getTime()),
      )
      const { apiKey, secret, hash } = yield* makeKey({ accountId, deployment, createdAt, expiresAt, label, readOnly })
      const overlapEnd = yield* after(createdAt, "overlapMillis", overlapMillis)
      const end = Option.filter(found.expiresAt, (date) => date < overlapEnd).pipe(Option.getOrElse(() => overlapEnd))
      // One step, so a crash cannot leave two keys without an expiry, or an expiring key without its replacement.
      const former = yield* Effect.flatten(credentials.replaceApiKey(keyId, end, apiKey, hash)).pipe(
        Effect.catchTag("NoSuchElementException", () => new ApiKeyChanged({ keyId })),
      )
      return { apiKey, secret, former }
    }),
  )

/** Revokes an API key. Repeating the call is harmless. Fails with `ApiKeyNotFound` if no key has this identifier. */
export const revokeApiKey = (keyId: string): Effect.Effect<ApiKey, ApiKeyNotFound | StorageUnavailable, CredentialRepository> =>
  useCase(
    "revokeApiKey",
    Effect.gen(function* () {
      const credentials = yield* CredentialRepository
      return yield* Effect.flatten(credentials.revokeApiKey(keyId, yield* DateTime.nowAsDate)).pipe(
        Effect.catchTag("NoSuchElementException", () => new ApiKeyNotFound({ keyId })),
      )
    }),
  )

/** Whether a key is accepted at a given time. A revoked key never is, even if `revokedAt` is in the future. */
export const isUsable = ({ revokedAt, expiresAt }: ApiKey, at: Date): boolean =>
  Option.isNone(revokedAt) && !Option.exists(expiresAt, (date) => date <= at)

/**
 * Finds the API key that a caller presents, and records the day of its use (specification, section 5). Fails with
 * `CredentialRejected` if it is not a valid key for this deployment. Accepts a read-only key too: call `requireWriting` before a
 * change. The store looks up a hash, so timing reveals nothing about secrets.
 */
export const authenticate = (
  credential: string,
  deployment: Deployment,
): Effect.Effect<ApiKey, CredentialRejected | StorageUnavailable, CredentialRepository | Cryptography> =>
  // A refusal that needs no query is an immediate failure: running a generator would start a fiber for each request.
  Either.match(decodeApiKey(credential, deployment), {
    onLeft: Effect.fail,
    onRight: (secret) => useCase("authenticate", authenticateKey(secret)),
  })

const authenticateKey = (secret: string) =>
  Effect.gen(function* () {
    const credentials = yield* CredentialRepository
    const { sha256 } = yield* Cryptography
    const key = yield* credentials.findApiKey(sha256(secret))
    const at = yield* DateTime.nowAsDate
    if (Option.isNone(key) || !isUsable(key.value, at)) return yield* new CredentialRejected({ reason: "unknown" })
    const today = at.toISOString().slice(0, 10)
    if (!Option.contains(key.value.lastUsedOn, today)) {
      // Runs in the background, so the caller does not wait. If this write fails, a later request of the day repeats it.
      yield* Effect.forkDaemon(Effect.ignore(credentials.recordApiKeyUse(key.value.id, today)))
    }
    return key.value
  })

/** Checks that an API key may make changes (specification 5.25). Fails with `ApiKeyReadOnly` if it may not. */
export const requireWriting = ({ readOnly }: ApiKey): Either.Either<void, ApiKeyReadOnly> =>
  readOnly ? Either.left(new ApiKeyReadOnly()) : Either.void
