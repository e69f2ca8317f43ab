import { AccountNameTaken, type ApiKey, CredentialRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import { accountColumns, accountOfRow, apiKeyColumns, apiKeyOfRow, rowOfApiKey } from "../rows.js"
import { allOf, type BoundStatement, oneOf, type Tables } from "./tables.js"

const insertKey = (key: ApiKey, hash: string): BoundStatement => [
  `INSERT INTO api_keys (${apiKeyColumns}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  [...rowOfApiKey(key), hash],
]

const findEnabledKey = `SELECT ${apiKeyColumns} FROM api_keys
  WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.id = account_id AND disabled_at IS NOT NULL)`

export const credentialRepository = ({ read, write, writeAll }: Tables) =>
  CredentialRepository.of({
    insertAccount: ({ id, name, createdAt }) => {
      const sql = `INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING id`
      return Effect.flatMap(write(sql, [id, name, createdAt.getTime()]), (inserted) =>
        inserted.length === 0 ? new AccountNameTaken({ name }) : Effect.void,
      )
    },

    findAccount: (name) => oneOf(read(`SELECT ${accountColumns} FROM accounts WHERE name = ?`, [name]), accountOfRow),

    disableAccount: (name, disabledAt) => {
      const sql = `UPDATE accounts SET disabled_at = coalesce(disabled_at, ?) WHERE name = ? RETURNING ${accountColumns}`
      return oneOf(write(sql, [disabledAt.getTime(), name]), accountOfRow)
    },

    enableAccount: (name) =>
      oneOf(write(`UPDATE accounts SET disabled_at = NULL WHERE name = ? RETURNING ${accountColumns}`, [name]), accountOfRow),

    listAccounts: allOf(read(`SELECT ${accountColumns} FROM accounts ORDER BY created_at, id`), accountOfRow),

    insertApiKey: (key, hash) => Effect.asVoid(write(...insertKey(key, hash))),

    findApiKey: (hash) => oneOf(read(findEnabledKey, [hash]), apiKeyOfRow),

    listApiKeys: allOf(read(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY created_at, id`), apiKeyOfRow),

    revokeApiKey: (id, revokedAt) => {
      const sql = `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${apiKeyColumns}`
      return oneOf(write(sql, [revokedAt.getTime(), id]), apiKeyOfRow)
    },

    // Two statements, because Citus would send a single statement's intermediate rows to every node, and fail if a node is down.
    replaceApiKey: (former, expiresAt, key, hash) => {
      const sql = `UPDATE api_keys SET expires_at = ?, replaced_by = ? WHERE id = ? AND replaced_by IS NULL AND revoked_at IS NULL
        RETURNING ${apiKeyColumns}`
      return oneOf(writeAll([sql, [expiresAt.getTime(), key.id, former]], insertKey(key, hash)), apiKeyOfRow)
    },

    recordApiKeyUse: (id, day) =>
      Effect.asVoid(
        write("UPDATE api_keys SET last_used_on = ? WHERE id = ? AND (last_used_on IS NULL OR last_used_on < ?)", [day, id, day]),
      ),
  })
