/** Accounts and API keys in SQLite. */
import type { DatabaseSync } from "node:sqlite"
import { type Account, AccountNameTaken, type ApiKeyId, CredentialRepository } from "@petstore/core"
import { Effect } from "effect"
import { accountColumns, accountOfRow, apiKeyColumns, apiKeyOfRow, millisOrNull, optionOfRow, rowOfApiKey } from "../rows.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"
import { allOrNothing } from "./engine/transaction.js"

/** The writes of credentials. */
export const credentialWrites = (connection: DatabaseSync) => {
  const insertAccount = prepareExact(
    connection,
    `INSERT INTO accounts (${accountColumns}) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING`,
  )
  const insertKey = prepareExact(connection, `INSERT INTO api_keys (${apiKeyColumns}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const revokeKey = prepareExact(
    connection,
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${apiKeyColumns}`,
  )
  const expireKey = prepareExact(
    connection,
    `UPDATE api_keys SET expires_at = ? WHERE id = ? AND expires_at IS ? AND revoked_at IS NULL RETURNING ${apiKeyColumns}`,
  )
  const recordUse = prepareExact(
    connection,
    "UPDATE api_keys SET last_used_on = ? WHERE id = ? AND (last_used_on IS NULL OR last_used_on < ?)",
  )

  return {
    /** Whether the name was free. */
    insertAccount: ({ id, name, createdAt }: Account): boolean => insertAccount.run(id, name, createdAt.getTime()).changes !== 0n,

    insertApiKey: (row: ReturnType<typeof rowOfApiKey>, hash: string): void => void insertKey.run(...row, hash),

    /** The row of the key, if there is one. */
    revokeApiKey: (id: ApiKeyId, revokedAt: Date): unknown => revokeKey.get(revokedAt.getTime(), id),

    /** The row of the former key, if it still has the end that it had: nothing is kept otherwise. */
    replaceApiKey: (
      former: ApiKeyId,
      ends: readonly [before: number | null, after: number],
      row: ReturnType<typeof rowOfApiKey>,
      hash: string,
    ): unknown =>
      allOrNothing(connection, (): unknown => {
        const [before, after] = ends
        const expiring: unknown = expireKey.get(after, former, before)
        if (expiring !== undefined) insertKey.run(...row, hash)
        return expiring
      }),

    recordApiKeyUse: (id: ApiKeyId, day: string): void => void recordUse.run(day, id, day),
  }
}

export const sqliteCredentialRepository = ({ prepare, run, writes }: Database<ReturnType<typeof credentialWrites>>) => {
  const selectAccount = prepare(`SELECT ${accountColumns} FROM accounts WHERE name = ?`)
  const selectAccounts = prepare(`SELECT ${accountColumns} FROM accounts ORDER BY created_at, rowid`)
  const selectKey = prepare(`SELECT ${apiKeyColumns} FROM api_keys WHERE hash = ?`)
  const selectKeys = prepare(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY created_at, rowid`)

  return CredentialRepository.of({
    insertAccount: (account) =>
      Effect.flatMap(writes.insertAccount(account), (isNew) =>
        isNew ? Effect.void : new AccountNameTaken({ name: account.name }),
      ),

    findAccount: (name) => run(() => optionOfRow(selectAccount.get(name), accountOfRow)),

    listAccounts: run(() => selectAccounts.all().map(accountOfRow)),

    insertApiKey: (key, hash) => writes.insertApiKey(rowOfApiKey(key), hash),

    findApiKey: (hash) => run(() => optionOfRow(selectKey.get(hash), apiKeyOfRow)),

    listApiKeys: run(() => selectKeys.all().map(apiKeyOfRow)),

    revokeApiKey: (id, revokedAt) => Effect.map(writes.revokeApiKey(id, revokedAt), (row) => optionOfRow(row, apiKeyOfRow)),

    replaceApiKey: ({ id, expiresAt: before }, expiresAt, key, hash) =>
      Effect.map(writes.replaceApiKey(id, [millisOrNull(before), expiresAt.getTime()], rowOfApiKey(key), hash), (row) =>
        optionOfRow(row, apiKeyOfRow),
      ),

    recordApiKeyUse: (id, day) => writes.recordApiKeyUse(id, day),
  })
}
