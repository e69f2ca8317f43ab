/** Accounts and API keys in PostgreSQL. */
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
import type { Statements } from "./engine/database.js"

const keyColumns = "id, account_id, deployment, created_at, expires_at, revoked_at, last_used_on, label"

export const postgresCredentialRepository = ({ read, write }: Statements) =>
  CredentialRepository.of({
    insertAccount: ({ id, name, createdAt }) =>
      Effect.flatMap(
        write("INSERT INTO accounts (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id", [
          id,
          name,
          createdAt.getTime(),
        ]),
        (inserted) => (inserted.length === 0 ? new AccountNameTaken({ name }) : Effect.void),
      ),

    findAccount: (name) =>
      Effect.map(read("SELECT id, name, created_at FROM accounts WHERE name = $1", [name]), ([row]) =>
        Option.map(Option.fromNullable(row), accountOfRow),
      ),

    listAccounts: Effect.map(read("SELECT id, name, created_at FROM accounts ORDER BY created_at, id"), (rows) =>
      rows.map(accountOfRow),
    ),

    insertApiKey: (key, hash) =>
      Effect.asVoid(
        write(`INSERT INTO api_keys (${keyColumns}, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
          key.id,
          key.accountId,
          key.deployment,
          key.createdAt.getTime(),
          millisOrNull(key.expiresAt),
          millisOrNull(key.revokedAt),
          Option.getOrNull(key.lastUsedOn),
          Option.getOrNull(key.label),
          hash,
        ]),
      ),

    findApiKey: (hash) =>
      Effect.map(read(`SELECT ${keyColumns} FROM api_keys WHERE hash = $1`, [hash]), ([row]) =>
        Option.map(Option.fromNullable(row), apiKeyOfRow),
      ),

    listApiKeys: Effect.map(read(`SELECT ${keyColumns} FROM api_keys ORDER BY created_at, id`), (rows) => rows.map(apiKeyOfRow)),

    revokeApiKey: (id, revokedAt) =>
      Effect.map(
        write(`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING ${keyColumns}`, [
          revokedAt.getTime(),
          id,
        ]),
        ([row]) => Option.map(Option.fromNullable(row), apiKeyOfRow),
      ),

    expireApiKey: (id, expiresAt) =>
      Effect.map(
        write(`UPDATE api_keys SET expires_at = least(expires_at, $1) WHERE id = $2 RETURNING ${keyColumns}`, [
          expiresAt.getTime(),
          id,
        ]),
        ([row]) => Option.map(Option.fromNullable(row), apiKeyOfRow),
      ),

    recordApiKeyUse: (id, day) =>
      Effect.asVoid(
        write("UPDATE api_keys SET last_used_on = $1 WHERE id = $2 AND (last_used_on IS NULL OR last_used_on < $1)", [day, id]),
      ),
  })

const millisOrNull = (moment: Option.Option<Date>): number | null =>
  Option.getOrNull(Option.map(moment, (date) => date.getTime()))

const momentOrNone = (millis: bigint | null): Option.Option<Date> =>
  Option.map(Option.fromNullable(millis), (value) => new Date(Number(value)))

/** Safe: the statements list these columns in this order, of a table that only this adapter writes; an int8 is read as a bigint. */
const accountOfRow = (row: ReadonlyArray<unknown>): Account => {
  const [id, name, createdAt] = row as [AccountId, string, bigint]
  return { id, name, createdAt: new Date(Number(createdAt)) }
}

/** Safe: as above, with `keyColumns`. */
const apiKeyOfRow = (row: ReadonlyArray<unknown>): ApiKey => {
  const [id, accountId, deployment, createdAt, expiresAt, revokedAt, lastUsedOn, label] = row as [
    ApiKeyId,
    AccountId,
    Deployment,
    bigint,
    bigint | null,
    bigint | null,
    string | null,
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
    label: Option.fromNullable(label),
  }
}
