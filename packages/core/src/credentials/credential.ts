/** Who calls: accounts, and the API keys they own. A key itself is never part of a value here; see `api-key.ts`. */

import type * as Schema from "@effect/schema/Schema"
import type * as Option from "effect/Option"
import { storableText } from "../json/text.js"
import type { AccountId } from "./account.js"
import type { Deployment } from "./deployment.js"

/** Most code points of an account's name. */
export const accountNameMaximum = 200

/** Name of an account: unique, kept exactly as given. The rules are those of `storableText`. */
export const AccountName: Schema.Schema<string> = storableText(accountNameMaximum)

/** Most code points of the label of an API key. */
export const keyLabelMaximum = 200

/** What an operator calls an API key, to tell it from others. The rules are those of `storableText`. */
export const KeyLabel: Schema.Schema<string> = storableText(keyLabelMaximum)

/** Identifier of an API key, not a secret: `key_` and 16 random letters and digits. */
export type ApiKeyId = string

/** What is known of an API key. Only a hash of the secret is stored, and it stays in the store. */
export interface ApiKey {
  readonly id: ApiKeyId
  readonly accountId: AccountId
  readonly deployment: Deployment
  readonly createdAt: Date
  /** From this moment on the key is refused. */
  readonly expiresAt: Option.Option<Date>
  /** From this moment on the key is refused. */
  readonly revokedAt: Option.Option<Date>
  /** The day (UTC, `YYYY-MM-DD`) on which the key was last accepted. */
  readonly lastUsedOn: Option.Option<string>
  /** What an operator calls it. */
  readonly label: Option.Option<string>
  /** Whether it only reads: what changes something is refused. */
  readonly readOnly: boolean
}
