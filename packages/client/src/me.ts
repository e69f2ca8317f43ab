/** The caller, as the service sees it, and its JSON. Experimental: it may change in a minor release. */
import { deployments } from "./facts.js"
import { flag, object, oneOf, text, timestamp } from "./fields.js"

/** An API key, its account, and the deployment that accepts the key. @experimental */
export interface Me {
  readonly account: { readonly id: string; readonly name: string }
  readonly key: {
    /** Not a secret. */
    readonly id: string
    /** Absent if the operator gave none. */
    readonly label?: string
    /** Whether the key is read-only: every change would fail with `insufficient_scope`. */
    readonly readOnly: boolean
    /** Absent if the key does not expire. */
    readonly expiresAt?: Date
  }
  readonly deployment: "development" | "staging" | "production"
}

export const decodeMe = object<Me>(
  {
    account: object<Me["account"]>({ id: text, name: text }, {}),
    key: object<Me["key"]>({ id: text, readOnly: flag }, { label: text, expiresAt: timestamp }),
    deployment: oneOf<Me["deployment"]>(deployments),
  },
  {},
)
