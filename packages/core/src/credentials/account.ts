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
