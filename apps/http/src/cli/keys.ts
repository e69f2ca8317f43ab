import {
  type Account,
  type ApiKey,
  type CreatedApiKey,
  CredentialRepository,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
} from "@petstore/core"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import { hostInUrl } from "../http/listen.js"
import { accountNames } from "./accounts.js"
import { decodeDuration } from "./duration.js"
import { columns, type OutputOptions, print } from "./output.js"
import { CommandFailed } from "./program.js"
import type { OpenStore } from "./store.js"
import { tellSystemLog } from "./system-log.js"

const textOf = (timestamp: Option.Option<Date>): string | null =>
  Option.getOrNull(Option.map(timestamp, (date) => date.toISOString()))

const shown = (key: ApiKey, account: Account | undefined) => ({
  id: key.id,
  account: account?.name ?? key.accountId,
  accountDisabledAt: account?.disabledAt?.toISOString() ?? null,
  deployment: key.deployment,
  createdAt: key.createdAt.toISOString(),
  expiresAt: textOf(key.expiresAt),
  revokedAt: textOf(key.revokedAt),
  lastUsedOn: Option.getOrNull(key.lastUsedOn),
  label: Option.getOrNull(key.label),
  readOnly: key.readOnly,
})

interface KeysCreateOptions extends OutputOptions {
  readonly account: string
  readonly expiresIn?: string
  readonly label?: string
  readonly readOnly?: true
}

const newKeyValue = ({ apiKey, secret }: CreatedApiKey) => ({
  id: apiKey.id,
  key: secret,
  deployment: apiKey.deployment,
  expiresAt: textOf(apiKey.expiresAt),
  label: Option.getOrNull(apiKey.label),
  readOnly: apiKey.readOnly,
})

export const nameOf = ({ id, label }: ApiKey): string =>
  Option.match(label, { onNone: () => id, onSome: (text) => `${id} (${JSON.stringify(text)})` })

/** The text that shows a new key. Its last line is the secret. */
const shownOnce = ({ apiKey, secret }: CreatedApiKey, account: string): string => {
  const expiry = Option.match(apiKey.expiresAt, {
    onNone: () => "never expires",
    onSome: (date) => `expires at ${date.toISOString()}`,
  })
  const kind = apiKey.readOnly ? "Read-only API key" : "API key"
  return `${kind} ${nameOf(apiKey)} of ${account} for ${apiKey.deployment}. It ${expiry} and is shown only once:\n${secret}`
}

/** The URL for listing pets in this deployment: at the address in the settings or, by default, at this service's address. */
const petsUrl = ({ deployment, publicBaseUrl, stagingBaseUrl, host, port }: Config): string => {
  const named = { production: publicBaseUrl, staging: stagingBaseUrl, development: Option.none() }[deployment]
  return `${Option.getOrElse(named, () => `http://${hostInUrl(host)}:${port}/v1`)}/pets`
}

const tellOfKey = (done: string, { id, accountId }: ApiKey, facts: Readonly<Record<string, string>> = {}): void =>
  tellSystemLog(done, { keyId: id, accountId, ...facts })

export const keysCreate = (open: OpenStore, options: KeysCreateOptions) =>
  open(function* (config) {
    const { deployment } = config
    const { account, expiresIn, label, readOnly = false } = options
    const lifetimeMillis = expiresIn === undefined ? undefined : yield* decodeDuration("--expires-in", expiresIn)
    const owner = yield* (yield* CredentialRepository).findAccount(account)
    if (Option.exists(owner, ({ disabledAt }) => disabledAt !== undefined)) {
      return yield* new CommandFailed({
        reason: `The account ${JSON.stringify(account)} is disabled: petstore accounts enable NAME`,
      })
    }
    const created = yield* createApiKey({ accountName: account, deployment, lifetimeMillis, readOnly, label })
    tellOfKey("API key created", created.apiKey)
    print(options, newKeyValue(created), shownOnce(created, JSON.stringify(account)))
    process.stderr.write(
      `petstore: Next: export PETSTORE_API_KEY=<the key>, and send it to the service, for example: curl -H "Authorization: Bearer $PETSTORE_API_KEY" ${petsUrl(config)}\n`,
    )
  })

/** The default time for which the former key is still accepted after a rotation. */
const usualOverlap = "24h"

export const keysRotate = (
  open: OpenStore,
  keyId: string,
  { overlap = usualOverlap, ...options }: OutputOptions & { readonly overlap?: string },
) =>
  Effect.flatMap(overlap === "0" ? Effect.succeed(0) : decodeDuration("--overlap", overlap), (overlapMillis) =>
    open(function* () {
      // The names are read before the rotation, because a later failure would lose the secret.
      const names = yield* accountNames
      const rotated = yield* rotateApiKey(keyId, { overlapMillis })
      const { apiKey, former } = rotated
      tellOfKey("API key rotated", apiKey, { former: former.id })
      const account = names.get(apiKey.accountId)
      const until = textOf(former.expiresAt)
      const text = `API key ${former.id} is accepted until ${until}.\n${shownOnce(rotated, JSON.stringify(account))}`
      print(options, { ...newKeyValue(rotated), former: { id: former.id, expiresAt: until } }, text)
    }),
  )

/** All keys as `keys list --json` prints them. */
export const listKeys = Effect.gen(function* () {
  const { listAccounts, listApiKeys } = yield* CredentialRepository
  const accounts = new Map((yield* listAccounts).map((account) => [account.id, account]))
  return (yield* listApiKeys).map((key) => shown(key, accounts.get(key.accountId)))
})

export const keysList = (open: OpenStore, options: OutputOptions) =>
  open(function* () {
    const keys = yield* listKeys
    const rows = keys.map((key) => [
      key.id,
      key.deployment,
      key.createdAt,
      key.expiresAt ?? "never",
      key.revokedAt ?? "-",
      key.lastUsedOn ?? "never",
      key.readOnly ? "read" : "all",
      key.account,
      key.label ?? "-",
    ])
    const header = ["ID", "DEPLOYMENT", "CREATED", "EXPIRES", "REVOKED", "LAST USED", "MAY", "ACCOUNT", "LABEL"]
    print(options, keys, columns(header, rows))
  })

/** Revokes the keys one after another. With `--json`, one key is printed as an object and several as an array. */
export const keysRevoke = (open: OpenStore, keyIds: readonly [string, ...ReadonlyArray<string>], options: OutputOptions) =>
  open(function* () {
    const keys = yield* Effect.forEach(keyIds, revokeApiKey)
    for (const key of keys) tellOfKey("API key revoked", key)
    const revoked = keys.map(({ id, revokedAt }) => ({ id, revokedAt: textOf(revokedAt) }))
    const lines = revoked.map(
      ({ id, revokedAt }) => `API key ${id} was revoked at ${revokedAt}. Running processes will refuse it within 5 seconds.`,
    )
    print(options, revoked.length === 1 ? revoked[0] : revoked, lines.join("\n"))
  })
