/** Accounts and API keys in PostgreSQL. */
import { AccountNameTaken, CredentialRepository } from "@petstore/core"
import { Effect } from "effect"
import { accountColumns, accountOfRow, apiKeyColumns, apiKeyOfRow, optionOfRow, rowOfApiKey } from "../rows.js"
import type { Statements } from "./engine/database.js"

export const postgresCredentialRepository = ({ read, write }: Statements) =>
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

    insertApiKey: (key, hash) =>
      Effect.asVoid(
        write(`INSERT INTO api_keys (${apiKeyColumns}, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
          ...rowOfApiKey(key),
          hash,
        ]),
      ),

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

    replaceApiKey: (former, expiresAt, key, hash) =>
      Effect.map(
        write(
          `WITH former AS (
             UPDATE api_keys SET expires_at = least(expires_at, $1) WHERE id = $2 RETURNING ${apiKeyColumns}
           ), made AS (
             INSERT INTO api_keys (${apiKeyColumns}, hash)
             SELECT $3::text, $4::text, $5::text, $6::int8, $7::int8, $8::int8, $9::text, $10::text, $11::text FROM former
           )
           SELECT ${apiKeyColumns} FROM former`,
          [expiresAt.getTime(), former, ...rowOfApiKey(key), hash],
        ),
        ([row]) => optionOfRow(row, apiKeyOfRow),
      ),

    recordApiKeyUse: (id, day) =>
      Effect.asVoid(
        write("UPDATE api_keys SET last_used_on = $1 WHERE id = $2 AND (last_used_on IS NULL OR last_used_on < $1)", [day, id]),
      ),
  })
