/** Settings and keys that the service refuses because they would lose pets or expose a key. */
import { type Account, type ApiKey, CredentialRepository, type Deployment, isUsable } from "@petstore/core"
import { isEphemeral, StorageNotOpened } from "@petstore/storage"
import { asksForPlainText } from "@petstore/storage/internal"
import { DateTime, Effect } from "effect"
import type { Config } from "../config.js"

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.[0-9]{1,3}){3}$/.test(host)

/** The unsafe combinations of valid settings, with a sentence for each. */
export const unsafeSettings = ({ deployment, database, host, tlsInFront, workers }: Config): ReadonlyArray<string> => {
  const isProduction = deployment === "production"
  const combinations = [
    [
      workers > 1 && database.adapter !== "postgres",
      `WORKERS: several processes need a PostgreSQL store, but DATABASE_URL names a ${database.adapter} store. Set WORKERS=1, or DATABASE_URL to a postgres:// URL`,
    ],
    [
      isProduction && isEphemeral(database),
      "DATABASE_URL: production needs a store that outlives the process, but this one is in the process's memory",
    ],
    [
      isProduction && !isLoopback(host) && !tlsInFront,
      `HOST: "${host}" can be reached from other machines, but production does not accept API keys in clear text. Listen on 127.0.0.1, or set TLS_IN_FRONT=on once a proxy in front terminates TLS`,
    ],
  ] as const
  return combinations.flatMap(([isUnsafe, sentence]) => (isUnsafe ? [sentence] : []))
}

/** Whether a key's account is enabled. */
export const enabledIn = (accounts: ReadonlyArray<Account>): ((key: ApiKey) => boolean) => {
  const disabled = new Set(accounts.flatMap(({ id, disabledAt }) => (disabledAt === undefined ? [] : [id])))
  return ({ accountId }) => !disabled.has(accountId)
}

export const usableKeys = (deployment: Deployment) =>
  Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    const { listApiKeys, listAccounts } = yield* CredentialRepository
    const enabled = enabledIn(yield* listAccounts)
    return (yield* listApiKeys).filter((key) => key.deployment === deployment && isUsable(key, now) && enabled(key))
  })

/** Handles connections to another machine without TLS: production refuses them, unless the URL asks for them. Warns once. */
export const refusePlainText = ({ deployment, database }: Config, warn: (sentence: string) => void) => {
  const isMeant = database.adapter === "postgres" && asksForPlainText(database.url)
  let isKnown = false
  return (host: string): void => {
    const says = `The connection to PostgreSQL on ${host} is not encrypted: others can read the pets, and act as the service`
    const remedy = "Turn on TLS there (ssl = on), or write sslmode=disable into DATABASE_URL if the network is private"
    if (deployment === "production" && !isMeant) throw new Error(`${says}. ${remedy}`)
    if (!isKnown) warn(isMeant ? `${says}.` : `${says}. ${remedy}.`)
    isKnown = true
  }
}

/** Handles a database server that may lose acknowledged writes: production does not start, and other deployments warn. */
export const refuseVolatile =
  ({ deployment }: Config, warn: (reason: string) => void) =>
  (reason: string): Effect.Effect<void, StorageNotOpened> =>
    deployment === "production" ? new StorageNotOpened({ reason }) : Effect.sync(() => warn(reason))
