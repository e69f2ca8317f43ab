/** Unlike pets, keys do not revert: if the former store is readable, revoked keys stay revoked and newer keys are kept. */
import type { DatabaseSync } from "node:sqlite"
import { type Deployment, deployments } from "@petstore/core"
import type { RestoredKeys, RestoreOptions } from "../store-copy.js"
import { thenClose } from "./engine/connection.js"
import { type Engine, rowsOf } from "./engine/copy.js"
import { immutable } from "./engine/store-file.js"
import { openMillis } from "./engine/waiting.js"

/** Timestamps are ms since 1970. */
interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly hash: string
  readonly deployment: string
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly last_used_on: string | null
  readonly label: string | null
  readonly replaced_by: string | null
  readonly read_only: bigint
}

const columns = [
  "id",
  "account_id",
  "hash",
  "deployment",
  "created_at",
  "expires_at",
  "revoked_at",
  "last_used_on",
  "label",
  "replaced_by",
  "read_only",
] as const satisfies ReadonlyArray<keyof KeyRow>

/** A store's accounts and keys, oldest first, and its deployment. */
interface Credentials {
  readonly accounts: ReadonlyArray<{ readonly id: string; readonly name: string; readonly created_at: bigint }>
  readonly keys: ReadonlyArray<KeyRow>
  readonly deployment: Deployment | undefined
}

/** The deployment that a store records or, without a record, that all its keys share, as in core's `findStoreDeployment`. */
const deploymentOf = (connection: DatabaseSync, keys: ReadonlyArray<KeyRow>): Deployment | undefined => {
  const mark = connection.prepare("SELECT name FROM deployment").get()?.["name"]
  const [one, ...others] = new Set(keys.map(({ deployment }) => deployment))
  const name = mark ?? (others.length === 0 ? one : undefined)
  return deployments.find((deployment) => deployment === name)
}

/** The credentials in an open store. */
export const credentialsOf = (connection: DatabaseSync): Credentials => {
  // Safe: both tables are STRICT, and have these columns.
  const accounts = rowsOf(connection, "SELECT * FROM accounts ORDER BY created_at, rowid") as unknown as Credentials["accounts"]
  const keys = rowsOf(
    connection,
    `SELECT ${columns.join()} FROM api_keys ORDER BY created_at, rowid`,
  ) as unknown as Credentials["keys"]
  return { accounts, keys, deployment: deploymentOf(connection, keys) }
}

/** Reads from a file that no program has open and that has no log. Returns `undefined` if one of the tables is damaged. */
export const readWhole = <A>(
  { DatabaseSync }: Engine,
  file: string,
  tables: ReadonlyArray<string>,
  read: (connection: DatabaseSync) => A,
): A | undefined => {
  try {
    // Immutable, so that the file stays unchanged.
    return thenClose(new DatabaseSync(immutable(file), { timeout: openMillis }), (connection) => {
      const problems = tables.flatMap((table) => connection.prepare(`PRAGMA integrity_check(${table})`).all())
      return problems.every((row) => row["integrity_check"] === "ok") ? read(connection) : undefined
    })
  } catch {
    // The restore continues without the unreadable data.
    return undefined
  }
}

/** The credentials in a file that no program has open; `undefined` if unreadable. No key's later state is then known. */
export const credentialsIn = (engine: Engine, file: string): Credentials | undefined =>
  readWhole(engine, file, ["accounts", "api_keys"], credentialsOf)

const earlier = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || (other !== null && other < one) ? other : one

const isOver = ({ revoked_at, expires_at }: KeyRow, now: bigint): boolean =>
  revoked_at !== null || (expires_at !== null && expires_at <= now)

/** Merges a key's states in two stores. The key is refused if either store refuses it. */
const joined = (one: KeyRow, other: KeyRow | undefined): KeyRow =>
  other === undefined
    ? one
    : {
        ...one,
        expires_at: earlier(one.expires_at, other.expires_at),
        revoked_at: earlier(one.revoked_at, other.revoked_at),
        replaced_by: other.replaced_by ?? one.replaced_by,
        last_used_on: [one.last_used_on, other.last_used_on].toSorted().findLast((day) => day !== null) ?? null,
      }

interface Settlement extends Pick<RestoreOptions, "withKeys"> {
  /** The former store's credentials; `undefined` if the store did not exist or was unreadable. */
  readonly former: Credentials | undefined
  /** The restored store's deployment, if it is known. */
  readonly deployment: Deployment | undefined
  /** Whether the backup belongs to another deployment, which makes its keys useless. */
  readonly isMoved: boolean
}

/** Settles the copy's accounts and keys in one transaction, before the copy is served. */
export const settleKeys = (copy: DatabaseSync, { former, withKeys, deployment, isMoved }: Settlement): RestoredKeys => {
  const now = BigInt(Date.now())
  const backup = credentialsOf(copy)
  const { accounts, keys } = former ?? { accounts: [], keys: [] }
  const known = new Map(keys.map((key) => [key.hash, key]))
  const backedUp = new Set(backup.keys.map(({ hash }) => hash))
  const settled = backup.keys.map((key) => {
    const told = known.get(key.hash)
    const next = joined(key, told)
    if (isMoved ? key.deployment !== deployment || told === undefined : told === undefined && withKeys !== true) {
      return { next: { ...next, revoked_at: next.revoked_at ?? now }, isRevoked: next.revoked_at === null }
    }
    const hasEnded = key.revoked_at !== next.revoked_at || key.expires_at !== next.expires_at
    return { next, hasEnded, isTrusted: told === undefined && !isOver(next, now) }
  })
  const added = keys.filter(({ hash }) => !backedUp.has(hash))

  copy.exec("BEGIN IMMEDIATE")
  const insertAccount = copy.prepare("INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  for (const { id, name, created_at } of accounts) insertAccount.run(id, name, created_at)
  const joinable = ["expires_at", "revoked_at", "last_used_on", "replaced_by"] as const
  const update = copy.prepare(`UPDATE api_keys SET ${joinable.map((name) => `${name} = ?`).join()} WHERE hash = ?`)
  for (const { next } of settled) update.run(...joinable.map((name) => next[name]), next.hash)
  // By name, because the backup may have a different account with that name if the store has been recreated since then.
  const values = columns.map((name) => (name === "account_id" ? "(SELECT id FROM accounts WHERE name = ?)" : "?"))
  const insertKey = copy.prepare(`INSERT INTO api_keys (${columns.join()}) VALUES (${values.join()})`)
  const nameOf = new Map(accounts.map(({ id, name }) => [id, name]))
  for (const key of added) {
    const row = { ...key, account_id: nameOf.get(key.account_id) ?? null }
    insertKey.run(...columns.map((name) => row[name]))
  }
  if (deployment !== undefined) {
    const mark = "INSERT INTO deployment (only_row, name) VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET name = excluded.name"
    copy.prepare(mark).run(deployment)
  }
  copy.exec("COMMIT")

  const result = credentialsOf(copy)
  return {
    added: added.length,
    ended: settled.filter(({ hasEnded }) => hasEnded).length,
    revoked: settled.filter(({ isRevoked }) => isRevoked).length,
    trusted: settled.filter(({ isTrusted }) => isTrusted).length,
    accepted: result.keys.filter((key) => !isOver(key, now)).length,
    account: result.accounts[0]?.name,
  }
}
