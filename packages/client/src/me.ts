/** The caller, as the service sees it, and its JSON. Experimental: it may change in a minor release. */
import type { Me as DomainMe } from "@petstore/core"
import { flag, object, oneOf, text, timestamp } from "./pet.js"

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

/** Every deployment. Does not compile if core's list differs. */
const deployments = {
  development: "development",
  staging: "staging",
  production: "production",
} as const satisfies Record<DomainMe["deployment"], Me["deployment"]>

export const decodeMe = object<Me>(
  {
    account: object<Me["account"]>({ id: text, name: text }, {}),
    key: object<Me["key"]>({ id: text, readOnly: flag }, { label: text, expiresAt: timestamp }),
    deployment: oneOf(deployments),
  },
  {},
)
