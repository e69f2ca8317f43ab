/** The use cases of accounts and API keys in plain values. */
import type { Account } from "../credentials/account.js"
import type { Deployment } from "../credentials/deployment.js"
import type { Result } from "./result.js"

/** An API key without its secret, of which only the hash is stored. */
export interface ApiKey {
  /** No secret: `key_` and 16 random letters and digits. */
  readonly id: string
  readonly accountId: string
  readonly deployment: Deployment
  readonly createdAt: Date
  /** When the key expires; `undefined` if never. */
  readonly expiresAt: Date | undefined
  /** When the key was revoked; `undefined` if it was not. */
  readonly revokedAt: Date | undefined
  /** The day (UTC, `YYYY-MM-DD`) on which the key was last accepted. */
  readonly lastUsedOn: string | undefined
  /** Its label, for operators. */
  readonly label: string | undefined
  /** Whether it is read-only: changes are refused. */
  readonly readOnly: boolean
}

/** The options of a new API key. */
export interface NewApiKey {
  /** Name of the account that owns it. */
  readonly accountName: string
  /** Where it is accepted. Other deployments refuse it. */
  readonly deployment: Deployment
  /** After how many milliseconds it expires; never if absent. A number that gives no valid date is refused. */
  readonly lifetimeMillis?: number | undefined
  /** Its label for operators: not blank, at most 200 code points; none if absent. */
  readonly label?: string | undefined
  /** Whether it is read-only: the service refuses changes. `false` if absent. */
  readonly readOnly?: boolean | undefined
}

/** A new API key with its secret, which is shown once and never stored. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey
  /** The secret that the caller presents. It cannot be read again. */
  readonly secret: string
}

/** A new API key, and the one that it replaces, which is accepted until it expires. */
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
   * concurrently, and with `invalid_parameter` if the overlap gives no valid date.
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

  /** Revokes an API key. Repeating it is harmless. */
  readonly revoke: (keyId: string) => Promise<Result<ApiKey, "api_key_not_found" | "storage_unavailable">>

  /** Finds the API key that a caller of this deployment presents, and remembers the day of its use. */
  readonly authenticate: (
    secret: string,
    deployment: Deployment,
  ) => Promise<Result<ApiKey, "invalid_credential" | "storage_unavailable">>
}
