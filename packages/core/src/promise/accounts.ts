import type { Account, NewApiKey } from "../credentials/account.js"
import type { Deployment } from "../credentials/deployment.js"
import type { Result } from "./result.js"

/** An API key without its secret. Only a hash of the secret is stored. */
export interface ApiKey {
  /** `key_` and 16 random letters and digits. Not a secret. */
  readonly id: string
  readonly accountId: string
  readonly deployment: Deployment
  readonly createdAt: Date
  /** When the key expires; `undefined` if it never does. */
  readonly expiresAt: Date | undefined
  /** When the key was revoked; `undefined` if it is not revoked. */
  readonly revokedAt: Date | undefined
  /** The day (UTC, `YYYY-MM-DD`) on which the key was last accepted. */
  readonly lastUsedOn: string | undefined
  /** The key's label, for operators. */
  readonly label: string | undefined
  /** Whether the key is read-only, so that changes are refused. */
  readonly readOnly: boolean
}

/** A new API key and its secret, which is shown once and never stored. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey
  /** The secret that the caller presents. It cannot be retrieved later. */
  readonly secret: string
}

/** A new API key, and the former key, which is still accepted until its expiry. */
export interface RotatedApiKey extends CreatedApiKey {
  readonly former: ApiKey
}

/** The operations on accounts. */
export interface Accounts {
  /** Creates an account. The name must be unique, not blank, and at most 200 code points long. */
  readonly create: (name: string) => Promise<Result<Account, "invalid_parameter" | "account_name_taken" | "storage_unavailable">>

  /** Disables an account: all its keys are refused until it is enabled. Repeating the call is harmless. @experimental */
  readonly disable: (name: string) => Promise<Result<Account, "account_not_found" | "storage_unavailable">>

  /** Enables an account. @experimental */
  readonly enable: (name: string) => Promise<Result<Account, "account_not_found" | "storage_unavailable">>

  /** Lists all accounts, oldest first. */
  readonly list: () => Promise<Result<ReadonlyArray<Account>, "storage_unavailable">>
}

/** The operations on API keys. */
export interface ApiKeys {
  /** Creates an API key for an account. */
  readonly create: (
    key: NewApiKey,
  ) => Promise<Result<CreatedApiKey, "invalid_parameter" | "account_not_found" | "storage_unavailable">>

  /** Lists all API keys, oldest first, including expired and revoked ones. */
  readonly list: () => Promise<Result<ReadonlyArray<ApiKey>, "storage_unavailable">>

  /**
   * Creates an API key that replaces another one, with the same account, deployment, label and lifetime. It is read-only if the
   * former key is. Fails with `api_key_inactive` if the former key is revoked or expired, with `api_key_changed` if it was
   * already rotated or is being revoked concurrently, and with `invalid_parameter` if the overlap does not result in a valid
   * date.
   *
   * @param overlapMillis  ms until the former key expires, unless it expires earlier
   */
  readonly rotate: (
    keyId: string,
    options: { readonly overlapMillis: number },
  ) => Promise<
    Result<
      RotatedApiKey,
      "api_key_not_found" | "api_key_inactive" | "api_key_changed" | "invalid_parameter" | "storage_unavailable"
    >
  >

  /** Revokes an API key. Repeating the call is harmless. */
  readonly revoke: (keyId: string) => Promise<Result<ApiKey, "api_key_not_found" | "storage_unavailable">>

  /** Finds a caller's API key for this deployment, and records the day of use. Check `readOnly` before a change. */
  readonly authenticate: (
    secret: string,
    deployment: Deployment,
  ) => Promise<Result<ApiKey, "invalid_credential" | "storage_unavailable">>
}
