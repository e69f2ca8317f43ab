/** An account's identifier: `acc_` and 16 random letters and digits. */
export type AccountId = string

/** An owner of API keys. */
export interface Account {
  readonly id: AccountId
  readonly name: string
  readonly createdAt: Date
}
