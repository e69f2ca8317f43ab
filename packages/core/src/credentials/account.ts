import type { Deployment } from "./deployment.js"

/** An account's identifier: `acc_` and 16 random letters and digits. */
export type AccountId = string

/** An API key's identifier, which is not a secret: `key_` and 16 random letters and digits. */
export type ApiKeyId = string

/** An owner of API keys. */
export interface Account {
  readonly id: AccountId
  readonly name: string
  readonly createdAt: Date
  /** Since when the account's keys are refused. Absent if they are accepted. @experimental */
  readonly disabledAt?: Date | undefined
}

/** Options for a new API key. */
export interface NewApiKey {
  /** The name of the account that owns the key. */
  readonly accountName: string
  /** The deployment that accepts the key. The other deployments refuse it. */
  readonly deployment: Deployment
  /** Milliseconds until the key expires; never if absent. A number that does not result in a valid date is refused. */
  readonly lifetimeMillis?: number | undefined
  /** The key's label, for operators: not blank, at most 200 code points. The key has no label if absent. */
  readonly label?: string | undefined
  /** Whether the key is read-only, so that the service refuses changes. `false` if absent. */
  readonly readOnly?: boolean | undefined
}

/** The caller: an API key and its account. Its JSON text has the same members. @experimental */
export interface Me {
  readonly account: Pick<Account, "id" | "name">
  readonly key: {
    readonly id: ApiKeyId
    readonly readOnly: boolean
    readonly label?: string | undefined
    readonly expiresAt?: Date | undefined
  }
  readonly deployment: Deployment
}
