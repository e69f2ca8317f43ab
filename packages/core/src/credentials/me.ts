import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import { useCase } from "../use-case.js"
import type { Me } from "./account.js"
import type { ApiKey } from "./credential.js"
import { CredentialRepository } from "./credential-repository.js"

/** Finds out who calls with an API key. @experimental */
export const getMe = ({
  id,
  accountId,
  readOnly,
  deployment,
  ...options
}: ApiKey): Effect.Effect<Me, StorageUnavailable, CredentialRepository> =>
  useCase(
    "getMe",
    Effect.flatMap(CredentialRepository, ({ listAccounts }) =>
      Effect.map(listAccounts, (accounts) => {
        const [label, expiresAt] = [Option.getOrUndefined(options.label), Option.getOrUndefined(options.expiresAt)]
        // A key always has an account, which is never removed.
        const name = accounts.find((account) => account.id === accountId)?.name ?? ""
        return { account: { id: accountId, name }, key: { id, label, readOnly, expiresAt }, deployment }
      }),
    ),
  )
