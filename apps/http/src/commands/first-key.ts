/** The first API key of a developer's own store, so that the first request takes one paste. */
import { CredentialRepository, type Cryptography, createAccount, createApiKey, type StorageUnavailable } from "@petstore/core"
import { Effect, Option } from "effect"

const accountName = "development"

/** Makes an API key for development, if the store has none at all. Answers its secret. */
export const mintFirstKey: Effect.Effect<
  Option.Option<string>,
  StorageUnavailable,
  CredentialRepository | Cryptography
> = Effect.gen(function* () {
  const credentials = yield* CredentialRepository
  if ((yield* credentials.listApiKeys).length > 0) return Option.none()
  // An account of that name may be left from a start that was killed between the two steps.
  yield* Effect.catchTags(createAccount(accountName), { AccountNameTaken: () => Effect.void, InvalidParameter: Effect.die })
  const { secret } = yield* Effect.catchTag(
    createApiKey({ accountName, deployment: "development", lifetimeMillis: Option.none() }),
    "AccountNotFound",
    Effect.die,
  )
  return Option.some(secret)
})

/** A line for a shell that adds a pet and lists it. */
export const curlLine = (baseUrl: string, secret: string): string => {
  const curl = `curl -sS -w '\\n' -H 'Authorization: Bearer ${secret}'`
  const pet = `{"name":"Bello","categoryId":1,"status":"available"}`
  return `${curl} -H 'Content-Type: application/json' -d '${pet}' ${baseUrl}/pets && ${curl} ${baseUrl}/pets`
}
