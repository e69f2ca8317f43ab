/** Accounts and API keys in SQLite. */
import type { DatabaseSync } from "node:sqlite"
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
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"

const keyColumns = "id, account_id, deployment, created_at, expires_at, revoked_at, last_used_on, label"

/** An API key as a row, in the order of `keyColumns`. */
type ApiKeyRow = readonly [
  id: ApiKeyId,
  accountId: AccountId,
  deployment: Deployment,
  createdAt: bigint,
  expiresAt: bigint | null,
  revokedAt: bigint | null,
  lastUsedOn: string | null,
  label: string | null,
]

/** The writes of credentials. */
export const credentialWrites = (connection: DatabaseSync) => {
  const insertAccount = prepareExact(
    connection,
    "INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
  )
  const insertKey = prepareExact(connection, `INSERT INTO api_keys (${keyColumns}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const revokeKey = prepareExact(
    connection,
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${keyColumns}`,
  )
  const expireKey = prepareExact(
    connection,
    `UPDATE api_keys SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE id = ?2 RETURNING ${keyColumns}`,
  )
  const recordUse = prepareExact(
    connection,
    "UPDATE api_keys SET last_used_on = ? WHERE id = ? AND (last_used_on IS NULL OR last_used_on < ?)",
  )

  return {
    /** Whether the name was free. */
    insertAccount: ({ id, name, createdAt }: Account): boolean => insertAccount.run(id, name, createdAt.getTime()).changes !== 0n,

    insertApiKey: (row: ApiKeyRow, hash: string): void => void insertKey.run(...row, hash),

    // Safe: the statement returns `keyColumns` as an array with exact integers.
    revokeApiKey: (id: ApiKeyId, revokedAt: Date): ApiKeyRow | undefined =>
      revokeKey.get(revokedAt.getTime(), id) as unknown as ApiKeyRow | undefined,

    // Safe: as above.
    expireApiKey: (id: ApiKeyId, expiresAt: Date): ApiKeyRow | undefined =>
      expireKey.get(expiresAt.getTime(), id) as unknown as ApiKeyRow | undefined,

    recordApiKeyUse: (id: ApiKeyId, day: string): void => void recordUse.run(day, id, day),
  }
}

export const sqliteCredentialRepository = ({ prepare, run, writes }: Database<ReturnType<typeof credentialWrites>>) => {
  const selectAccount = prepare("SELECT id, name, created_at FROM accounts WHERE name = ?")
  const selectAccounts = prepare("SELECT id, name, created_at FROM accounts ORDER BY created_at, rowid")
  const selectKey = prepare(`SELECT ${keyColumns} FROM api_keys WHERE hash = ?`)
  const selectKeys = prepare(`SELECT ${keyColumns} FROM api_keys ORDER BY created_at, rowid`)

  return CredentialRepository.of({
    insertAccount: (account) =>
      Effect.flatMap(writes.insertAccount(account), (isNew) =>
        isNew ? Effect.void : new AccountNameTaken({ name: account.name }),
      ),

    findAccount: (name) => run(() => Option.map(Option.fromNullable(selectAccount.get(name)), accountOfRow)),

    listAccounts: run(() => selectAccounts.all().map(accountOfRow)),

    insertApiKey: (key, hash) => writes.insertApiKey(rowOfApiKey(key), hash),

    findApiKey: (hash) => run(() => Option.map(Option.fromNullable(selectKey.get(hash)), apiKeyOfRow)),

    listApiKeys: run(() => selectKeys.all().map(apiKeyOfRow)),

    revokeApiKey: (id, revokedAt) =>
      Effect.map(writes.revokeApiKey(id, revokedAt), (row) => Option.map(Option.fromNullable(row), apiKeyOfRow)),

    expireApiKey: (id, expiresAt) =>
      Effect.map(writes.expireApiKey(id, expiresAt), (row) => Option.map(Option.fromNullable(row), apiKeyOfRow)),

    recordApiKeyUse: (id, day) => writes.recordApiKeyUse(id, day),
  })
}

const millisOrNull = (moment: Option.Option<Date>): bigint | null =>
  Option.getOrNull(Option.map(moment, (date) => BigInt(date.getTime())))

const momentOrNone = (millis: bigint | null): Option.Option<Date> =>
  Option.map(Option.fromNullable(millis), (value) => new Date(Number(value)))

/** Safe: the statements list these columns in this order, of a STRICT table that only this adapter writes. */
const accountOfRow = (row: unknown): Account => {
  const [id, name, createdAt] = row as [AccountId, string, bigint]
  return { id, name, createdAt: new Date(Number(createdAt)) }
}

const rowOfApiKey = (key: ApiKey): ApiKeyRow => [
  key.id,
  key.accountId,
  key.deployment,
  BigInt(key.createdAt.getTime()),
  millisOrNull(key.expiresAt),
  millisOrNull(key.revokedAt),
  Option.getOrNull(key.lastUsedOn),
  Option.getOrNull(key.label),
]

/** Safe: as above, with `keyColumns`. */
const apiKeyOfRow = (row: unknown): ApiKey => {
  const [id, accountId, deployment, createdAt, expiresAt, revokedAt, lastUsedOn, label] = row as ApiKeyRow
  return {
    id,
    accountId,
    deployment,
    createdAt: new Date(Number(createdAt)),
    expiresAt: momentOrNone(expiresAt),
    revokedAt: momentOrNone(revokedAt),
    lastUsedOn: Option.fromNullable(lastUsedOn),
    label: Option.fromNullable(label),
  }
}
