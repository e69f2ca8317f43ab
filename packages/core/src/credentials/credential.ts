import type * as Schema from "@effect/schema/Schema"
import type * as Option from "effect/Option"
import { storableText } from "../json/text.js"
import type { AccountId, ApiKeyId } from "./account.js"
import type { Deployment } from "./deployment.js"

/** The maximum number of code points in an account's name, and in an API key's label. */
export const textMaximum = 200

/** An account's name: unique, and stored exactly as given. The rules are those of `storableText`. */
export const AccountName: Schema.Schema<string> = storableText(textMaximum)

/** An API key's label, for operators. The rules are those of `storableText`. */
export const KeyLabel: Schema.Schema<string> = storableText(textMaximum)

/** An API key without its secret. Only a hash of the secret is stored, and the hash never leaves the store. */
export interface ApiKey {
  readonly id: ApiKeyId
  readonly accountId: AccountId
  readonly deployment: Deployment
  readonly createdAt: Date
  /** The key is refused from this time on. */
  readonly expiresAt: Option.Option<Date>
  /** A revoked key is refused even before this time. */
  readonly revokedAt: Option.Option<Date>
  /** The day (UTC, `YYYY-MM-DD`) on which the key was last accepted. */
  readonly lastUsedOn: Option.Option<string>
  /** The key's label, for operators. */
  readonly label: Option.Option<string>
  /** Whether the key is read-only, so that changes are refused. */
  readonly readOnly: boolean
}
