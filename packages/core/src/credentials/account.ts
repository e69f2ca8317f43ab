/** Identifier of an account: `acc_` and 16 random letters and digits. */
export type AccountId = string

/** Owns API keys. */
export interface Account {
  readonly id: AccountId
  readonly name: string
  readonly createdAt: Date
}
