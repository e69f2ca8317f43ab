import * as Option from "effect/Option"
import type { ApiKey as DomainApiKey } from "../credentials/credential.js"
import type { ApiKey } from "./accounts.js"

export const plainApiKey = ({ expiresAt, revokedAt, lastUsedOn, label, ...rest }: DomainApiKey): ApiKey => ({
  ...rest,
  expiresAt: Option.getOrUndefined(expiresAt),
  revokedAt: Option.getOrUndefined(revokedAt),
  lastUsedOn: Option.getOrUndefined(lastUsedOn),
  label: Option.getOrUndefined(label),
})

export const domainApiKey = ({ expiresAt, revokedAt, lastUsedOn, label, ...rest }: ApiKey): DomainApiKey => ({
  ...rest,
  expiresAt: Option.fromNullable(expiresAt),
  revokedAt: Option.fromNullable(revokedAt),
  lastUsedOn: Option.fromNullable(lastUsedOn),
  label: Option.fromNullable(label),
})
