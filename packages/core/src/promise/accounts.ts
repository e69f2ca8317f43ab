/** The use cases of accounts and API keys in plain values. */
import type { Account } from "../credentials/account.js"
import type { Deployment } from "../credentials/deployment.js"
import type { Result } from "./result.js"

/** What is known of an API key. The secret is not: only its hash is stored. */
export interface ApiKey {
  /** No secret: `key_` and 16 random letters and digits. */
  readonly id: string
  readonly accountId: string
  readonly deployment: Deployment
  readonly createdAt: Date
  /** From this moment on the key is refused; `undefined` for one that never expires. */
  readonly expiresAt: Date | undefined
  /** From this moment on the key is refused; `undefined` for one that is not revoked. */
  readonly revokedAt: Date | undefined
  /** The day (UTC, `YYYY-MM-DD`) on which the key was last accepted. */
  readonly lastUsedOn: string | undefined
  /** What an operator calls it. */
  readonly label: string | undefined
  /** Whether it only reads: what changes something is refused. */
  readonly readOnly: boolean
}

/** What to create an API key with. */
export interface NewApiKey {
  /** Name of the account that owns it. */
  readonly accountName: string
  /** Where it is accepted. Other deployments refuse it. */
  readonly deployment: Deployment
  /** After how many milliseconds it expires; never if absent. A number that leads to no date is refused. */
  readonly lifetimeMillis?: number | undefined
  /** What an operator calls it: not blank, at most 200 code points; nothing if absent. */
  readonly label?: string | undefined
  /** Whether it only reads: the service refuses what changes something. `false` if absent. */
  readonly readOnly?: boolean | undefined
}

/** A new API key with its secret, which is shown once and never stored. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey
  /** What the caller presents. It cannot be had again. */
  readonly secret: string
}

/** A new API key, and the one whose place it takes, which is accepted until it expires. */
export interface RotatedApiKey extends CreatedApiKey {
  readonly former: ApiKey
}

/** The operations on accounts. */
export interface Accounts {
  /** Creates an account. Its name is unique, not blank, and has at most 200 code points. */
  readonly create: (name: string) => Promise<Result<Account, "invalid_parameter" | "account_name_taken" | "storage_unavailable">>

  /** All accounts, oldest first. */
  readonly list: () => Promise<Result<ReadonlyArray<Account>, "storage_unavailable">>
}

/** The operations on API keys. */
export interface ApiKeys {
  /** Creates an API key of an account. */
  readonly create: (
    key: NewApiKey,
  ) => Promise<Result<CreatedApiKey, "invalid_parameter" | "account_not_found" | "storage_unavailable">>

  /** All API keys, oldest first, expired and revoked ones included. */
  readonly list: () => Promise<Result<ReadonlyArray<ApiKey>, "storage_unavailable">>

  /**
   * Creates an API key in place of another one, with its account, deployment, label and lifetime, read-only if it is. Fails with
   * `api_key_inactive` if that one is revoked or expired, with `api_key_changed` if it was rotated already, or is revoked
   * at the same moment, and with `invalid_parameter` if the overlap leads to no date.
   *
   * @param overlapMillis  after how many milliseconds the former key expires, unless it does earlier
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

  /** Revokes an API key, from now on. Repeating it is harmless. */
  readonly revoke: (keyId: string) => Promise<Result<ApiKey, "api_key_not_found" | "storage_unavailable">>

  /** Finds the API key that a caller of this deployment presents, and remembers the day of its use. */
  readonly authenticate: (
    secret: string,
    deployment: Deployment,
  ) => Promise<Result<ApiKey, "invalid_credential" | "storage_unavailable">>
}
