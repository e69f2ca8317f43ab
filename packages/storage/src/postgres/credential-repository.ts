/** Accounts and API keys in PostgreSQL. */
import { AccountNameTaken, CredentialRepository } from "@petstore/core"
import { Effect } from "effect"
import { accountColumns, accountOfRow, apiKeyColumns, apiKeyOfRow, millisOrNull, optionOfRow, rowOfApiKey } from "../rows.js"
import type { Database } from "./engine/database.js"

const insertKey = `INSERT INTO api_keys (${apiKeyColumns}, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export const postgresCredentialRepository = ({ coordinator: { read, write }, transaction }: Database) =>
  CredentialRepository.of({
    insertAccount: ({ id, name, createdAt }) =>
      Effect.flatMap(
        write(`INSERT INTO accounts (${accountColumns}) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id`, [
          id,
          name,
          createdAt.getTime(),
        ]),
        (inserted) => (inserted.length === 0 ? new AccountNameTaken({ name }) : Effect.void),
      ),

    findAccount: (name) =>
      Effect.map(read(`SELECT ${accountColumns} FROM accounts WHERE name = $1`, [name]), ([row]) =>
        optionOfRow(row, accountOfRow),
      ),

    listAccounts: Effect.map(read(`SELECT ${accountColumns} FROM accounts ORDER BY created_at, id`), (rows) =>
      rows.map(accountOfRow),
    ),

    insertApiKey: (key, hash) => Effect.asVoid(write(insertKey, [...rowOfApiKey(key), hash])),

    findApiKey: (hash) =>
      Effect.map(read(`SELECT ${apiKeyColumns} FROM api_keys WHERE hash = $1`, [hash]), ([row]) => optionOfRow(row, apiKeyOfRow)),

    listApiKeys: Effect.map(read(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY created_at, id`), (rows) =>
      rows.map(apiKeyOfRow),
    ),

    revokeApiKey: (id, revokedAt) =>
      Effect.map(
        write(`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING ${apiKeyColumns}`, [
          revokedAt.getTime(),
          id,
        ]),
        ([row]) => optionOfRow(row, apiKeyOfRow),
      ),

    // Two statements: of one that does both, Citus sends the rows in between to every node, and fails while any is away.
    replaceApiKey: (former, expiresAt, key, hash) =>
      transaction((run) =>
        Effect.gen(function* () {
          const [row] = yield* run(
            `UPDATE api_keys SET expires_at = $1 WHERE id = $2 AND expires_at IS NOT DISTINCT FROM $3 AND revoked_at IS NULL
             RETURNING ${apiKeyColumns}`,
            [expiresAt.getTime(), former.id, millisOrNull(former.expiresAt)],
          )
          if (row !== undefined) yield* run(insertKey, [...rowOfApiKey(key), hash])
          return optionOfRow(row, apiKeyOfRow)
        }),
      ),

    recordApiKeyUse: (id, day) =>
      Effect.asVoid(
        write("UPDATE api_keys SET last_used_on = $1 WHERE id = $2 AND (last_used_on IS NULL OR last_used_on < $1)", [day, id]),
      ),
  })
