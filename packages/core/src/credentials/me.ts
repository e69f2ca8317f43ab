import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import { timestampText } from "../json/timestamp.js"
import type { Account } from "./account.js"
import type { ApiKey } from "./credential.js"
import { CredentialRepository } from "./credential-repository.js"

/** The caller: an API key and its account. @experimental */
export interface Me {
  readonly account: Pick<Account, "id" | "name">
  readonly key: Pick<ApiKey, "id" | "readOnly" | "label" | "expiresAt">
  readonly deployment: ApiKey["deployment"]
}

/** Finds out who calls with an API key. @experimental */
export const getMe = (key: ApiKey): Effect.Effect<Me, StorageUnavailable, CredentialRepository> =>
  Effect.flatMap(CredentialRepository, ({ listAccounts }) =>
    Effect.map(listAccounts, (accounts) => {
      const account = accounts.find(({ id }) => id === key.accountId)
      // A key always has an account, which is never removed.
      return { account: { id: key.accountId, name: account?.name ?? "" }, key, deployment: key.deployment }
    }),
  )

/** Encodes the caller as JSON text. @experimental */
export const encodeMe = ({ account, key: { id, label, readOnly, expiresAt }, deployment }: Me): string =>
  JSON.stringify({
    account: { id: account.id, name: account.name },
    key: {
      id,
      label: Option.getOrUndefined(label),
      readOnly,
      expiresAt: Option.getOrUndefined(Option.map(expiresAt, timestampText)),
    },
    deployment,
  })
