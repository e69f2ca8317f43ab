/** Accounts and API keys in SQLite. */
import {
  type Account,
  type AccountId,
  AccountNameTaken,
  type ApiKey,
  type ApiKeyId,
  CredentialRepository,
  type Deployment,
} from "@petstore/core"
import { Effect, Option } from "effect"
import type { Database } from "./database.js"

const keyColumns = "id, account_id, deployment, created_at, expires_at, revoked_at, last_used_on"

export const sqliteCredentialRepository = ({ prepare, read, write }: Database) => {
  const insertAccount = prepare("INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING")
  const selectAccount = prepare("SELECT id, name, created_at FROM accounts WHERE name = ?")
  const selectAccounts = prepare("SELECT id, name, created_at FROM accounts ORDER BY created_at, rowid")
  const insertKey = prepare(`INSERT INTO api_keys (${keyColumns}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const selectKey = prepare(`SELECT ${keyColumns} FROM api_keys WHERE hash = ?`)
  const selectKeys = prepare(`SELECT ${keyColumns} FROM api_keys ORDER BY created_at, rowid`)
  const revokeKey = prepare(`UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${keyColumns}`)
  const recordUse = prepare("UPDATE api_keys SET last_used_on = ? WHERE id = ? AND (last_used_on IS NULL OR last_used_on < ?)")

  return CredentialRepository.of({
    insertAccount: ({ id, name, createdAt }) =>
      Effect.flatMap(
        write(() => insertAccount.run(id, name, createdAt.getTime()).changes),
        (inserted) => (inserted === 0n ? new AccountNameTaken({ name }) : Effect.void),
      ),

    findAccount: (name) => read(() => Option.map(Option.fromNullable(selectAccount.get(name)), accountOfRow)),

    listAccounts: read(() => selectAccounts.all().map(accountOfRow)),

    insertApiKey: (key, hash) =>
      write(
        () =>
          void insertKey.run(
            key.id,
            key.accountId,
            key.deployment,
            key.createdAt.getTime(),
            millisOrNull(key.expiresAt),
            millisOrNull(key.revokedAt),
            Option.getOrNull(key.lastUsedOn),
            hash,
          ),
      ),

    findApiKey: (hash) => read(() => Option.map(Option.fromNullable(selectKey.get(hash)), apiKeyOfRow)),

    listApiKeys: read(() => selectKeys.all().map(apiKeyOfRow)),

    revokeApiKey: (id, revokedAt) =>
      write(() => Option.map(Option.fromNullable(revokeKey.get(revokedAt.getTime(), id)), apiKeyOfRow)),

    recordApiKeyUse: (id, day) => write(() => void recordUse.run(day, id, day)),
  })
}

const millisOrNull = (moment: Option.Option<Date>): number | null =>
  Option.getOrNull(Option.map(moment, (date) => date.getTime()))

const momentOrNone = (millis: bigint | null): Option.Option<Date> =>
  Option.map(Option.fromNullable(millis), (value) => new Date(Number(value)))

/** Safe: the statements list these columns in this order, of a STRICT table that only this adapter writes. */
const accountOfRow = (row: unknown): Account => {
  const [id, name, createdAt] = row as [AccountId, string, bigint]
  return { id, name, createdAt: new Date(Number(createdAt)) }
}

/** Safe: as above, with `keyColumns`. */
const apiKeyOfRow = (row: unknown): ApiKey => {
  const [id, accountId, deployment, createdAt, expiresAt, revokedAt, lastUsedOn] = row as [
    ApiKeyId,
    AccountId,
    Deployment,
    bigint,
    bigint | null,
    bigint | null,
    string | null,
  ]
  return {
    id,
    accountId,
    deployment,
    createdAt: new Date(Number(createdAt)),
    expiresAt: momentOrNone(expiresAt),
    revokedAt: momentOrNone(revokedAt),
    lastUsedOn: Option.fromNullable(lastUsedOn),
  }
}
