/** Port: keeps accounts and API keys. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AccountNameTaken, StorageUnavailable } from "../errors.js"
import type { Account } from "./account.js"
import type { ApiKey, ApiKeyId } from "./credential.js"

/** Keeps accounts and the hashes of API keys. Its promises are a contract suite in `@petstore/core/testing`. */
export class CredentialRepository extends Context.Tag("@petstore/core/CredentialRepository")<
  CredentialRepository,
  {
    /** Keeps a new account, unless its name is taken. */
    readonly insertAccount: (account: Account) => Effect.Effect<void, AccountNameTaken | StorageUnavailable>

    /** The account with this name, if there is one. */
    readonly findAccount: (name: string) => Effect.Effect<Option.Option<Account>, StorageUnavailable>

    /** All accounts, oldest first. */
    readonly listAccounts: Effect.Effect<ReadonlyArray<Account>, StorageUnavailable>

    /** Keeps a new API key of an account that exists, under the SHA-256 of its secret (64 hexadecimal digits). */
    readonly insertApiKey: (key: ApiKey, hash: string) => Effect.Effect<void, StorageUnavailable>

    /** The API key with this hash, expired and revoked ones included, if there is one. */
    readonly findApiKey: (hash: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>

    /** All API keys, oldest first. */
    readonly listApiKeys: Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable>

    /** Revokes a key at a time and returns it, if it exists. A key that was revoked earlier keeps its time. */
    readonly revokeApiKey: (id: ApiKeyId, revokedAt: Date) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>

    /**
     * Keeps a new API key, as `insertApiKey` does, and sets the expiry of a former one: both or neither. Returns the former one.
     * A key is replaced once: if it was replaced already, or is revoked, nothing is kept.
     */
    readonly replaceApiKey: (
      former: ApiKeyId,
      expiresAt: Date,
      key: ApiKey,
      hash: string,
    ) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>

    /** Keeps the day (UTC, `YYYY-MM-DD`) on which a key was accepted, if it is later than the kept one. */
    readonly recordApiKeyUse: (id: ApiKeyId, day: string) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
