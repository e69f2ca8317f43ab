/** `petstore keys`: the API keys of accounts. */
import { type ApiKey, CredentialRepository, createApiKey, revokeApiKey } from "@petstore/core"
import { Effect, Option } from "effect"
import { columns, type OutputOptions, print } from "./output.js"
import { WrongUsage, withKeptServices } from "./program.js"

const unitMillis: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The longest lifetime, in ms: a hundred years. Whoever wants more wants no expiry. */
const lifetimeMaximumMillis = 36_525 * 86_400_000

/** Reads a lifetime such as `90d`, `12h`, `30m` or `45s`, in ms. */
const decodeLifetime = (text: string | undefined): Effect.Effect<Option.Option<number>, WrongUsage> => {
  if (text === undefined) return Effect.succeedNone
  const [, count = "", unit = ""] = /^([1-9][0-9]*)([smhd])$/.exec(text) ?? []
  const millis = Number(count) * (unitMillis[unit] ?? 0)
  return millis > 0 && millis <= lifetimeMaximumMillis
    ? Effect.succeedSome(millis)
    : new WrongUsage({ reason: `--expires-in: expected a time such as 90d, 12h, 30m or 45s, got ${JSON.stringify(text)}` })
}

const textOf = (moment: Option.Option<Date>): string | null => Option.getOrNull(Option.map(moment, (date) => date.toISOString()))

const shown = (key: ApiKey, accountNames: ReadonlyMap<string, string>) => ({
  id: key.id,
  account: accountNames.get(key.accountId) ?? key.accountId,
  deployment: key.deployment,
  createdAt: key.createdAt.toISOString(),
  expiresAt: textOf(key.expiresAt),
  revokedAt: textOf(key.revokedAt),
  lastUsedOn: Option.getOrNull(key.lastUsedOn),
})

export interface KeysCreateOptions extends OutputOptions {
  readonly account: string
  readonly expiresIn?: string
}

export const keysCreate = (options: KeysCreateOptions) =>
  withKeptServices(({ deployment }) =>
    Effect.gen(function* () {
      const lifetimeMillis = yield* decodeLifetime(options.expiresIn)
      const { apiKey, secret } = yield* createApiKey({ accountName: options.account, deployment, lifetimeMillis })
      const expiry = Option.match(apiKey.expiresAt, { onNone: () => "never", onSome: (date) => date.toISOString() })
      const text = `API key ${apiKey.id} of ${JSON.stringify(options.account)} for ${deployment}, expires: ${expiry}. It is shown this once:\n${secret}`
      print(options, { id: apiKey.id, key: secret, deployment, expiresAt: textOf(apiKey.expiresAt) }, text)
    }),
  )

export const keysList = (options: OutputOptions) =>
  withKeptServices(() =>
    Effect.gen(function* () {
      const credentials = yield* CredentialRepository
      const names = new Map((yield* credentials.listAccounts).map(({ id, name }) => [id, name]))
      const keys = (yield* credentials.listApiKeys).map((key) => shown(key, names))
      const rows = keys.map((key) => [
        key.id,
        key.deployment,
        key.createdAt,
        key.expiresAt ?? "never",
        key.revokedAt ?? "-",
        key.lastUsedOn ?? "never",
        key.account,
      ])
      print(options, keys, columns(["ID", "DEPLOYMENT", "CREATED", "EXPIRES", "REVOKED", "LAST USED", "ACCOUNT"], rows))
    }),
  )

export const keysRevoke = (keyId: string, options: OutputOptions) =>
  withKeptServices(() =>
    Effect.map(revokeApiKey(keyId), ({ id, revokedAt }) => {
      const since = textOf(revokedAt)
      print(
        options,
        { id, revokedAt: since },
        `API key ${id} is revoked since ${since}. Running processes refuse it within 5 seconds.`,
      )
    }),
  )
