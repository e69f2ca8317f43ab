import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AccountNameTaken, StorageUnavailable } from "../errors.js"
import type { Account, ApiKeyId } from "./account.js"
import type { ApiKey } from "./credential.js"

/** Stores accounts and the hashes of API keys. `@petstore/core/testing` has its contract suite. */
export class CredentialRepository extends Context.Tag("@petstore/core/CredentialRepository")<
  CredentialRepository,
  {
    /** Stores a new account, unless its name is taken. */
    readonly insertAccount: (account: Account) => Effect.Effect<void, AccountNameTaken | StorageUnavailable>

    /** Finds the account with this name, if there is one. */
    readonly findAccount: (name: string) => Effect.Effect<Option.Option<Account>, StorageUnavailable>

    /** Lists all accounts, oldest first. */
    readonly listAccounts: Effect.Effect<ReadonlyArray<Account>, StorageUnavailable>

    /** Disables the account with this name from the given time on, unless it already is. Returns `None` if it is unknown. */
    readonly disableAccount: (name: string, disabledAt: Date) => Effect.Effect<Option.Option<Account>, StorageUnavailable>

    /** Enables the account with this name. Returns `None` if it is unknown. */
    readonly enableAccount: (name: string) => Effect.Effect<Option.Option<Account>, StorageUnavailable>

    /** Stores a new API key for an existing account, under the SHA-256 of its secret (64 hexadecimal digits). */
    readonly insertApiKey: (key: ApiKey, hash: string) => Effect.Effect<void, StorageUnavailable>

    /** Finds the API key with this hash, unless its account is disabled. An expired or revoked key is found. */
    readonly findApiKey: (hash: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>

    /** Lists all API keys, oldest first. */
    readonly listApiKeys: Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable>

    /** Revokes a key from the given time on; a revoked key keeps its revocation time. Returns `None` if the key is unknown. */
    readonly revokeApiKey: (id: ApiKeyId, revokedAt: Date) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>

    /**
     * Stores a new API key, as `insertApiKey` does, and sets the former key's expiry: both or neither. Returns the former key.
     * A key can be replaced only once. If it has already been replaced, or is revoked, stores nothing and returns `None`.
     */
    readonly replaceApiKey: (
      former: ApiKeyId,
      expiresAt: Date,
      key: ApiKey,
      hash: string,
    ) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>

    /** Records the day (UTC, `YYYY-MM-DD`) on which a key was accepted, if that day is later than the recorded day. */
    readonly recordApiKeyUse: (id: ApiKeyId, day: string) => Effect.Effect<void, StorageUnavailable>
  }
>() {}
