import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import { CredentialRepository } from "./credential-repository.js"
import { createAccount, createApiKey } from "./credentials.js"
import type { Cryptography } from "./cryptography.js"

const accountName = "development"

/** Creates an API key if a development store has none, so that the first request needs no setup. Returns the key's secret. */
export const mintFirstApiKey: Effect.Effect<
  Option.Option<string>,
  StorageUnavailable,
  CredentialRepository | Cryptography
> = Effect.gen(function* () {
  const credentials = yield* CredentialRepository
  if ((yield* credentials.listApiKeys).length > 0) return Option.none()
  // The account may already exist, if an earlier start was killed between these two steps.
  yield* Effect.catchTags(createAccount(accountName), { AccountNameTaken: () => Effect.void, InvalidParameter: Effect.die })
  const { secret } = yield* Effect.catchTags(createApiKey({ accountName, deployment: "development" }), {
    AccountNotFound: Effect.die,
    InvalidParameter: Effect.die,
  })
  return Option.some(secret)
})
