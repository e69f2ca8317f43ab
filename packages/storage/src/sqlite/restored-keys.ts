/** Unlike pets, keys do not revert: if the former store is readable, revoked keys stay revoked and newer keys are kept. */
import type { DatabaseSync } from "node:sqlite"
import { type Credentials, deploymentOf, keyColumns, type Settlement, settledColumns, settledKeys } from "../key-settlement.js"
import type { RestoredKeys } from "../store-copy.js"
import { thenClose } from "./engine/connection.js"
import { type Engine, rowsOf } from "./engine/copy.js"
import { immutable } from "./engine/store-file.js"
import { openMillis } from "./engine/waiting.js"

/** The credentials in an open store. */
export const credentialsOf = (connection: DatabaseSync): Credentials => {
  // Safe: both tables are STRICT, and have these columns.
  const accounts = rowsOf(connection, "SELECT * FROM accounts ORDER BY created_at, rowid") as unknown as Credentials["accounts"]
  const keys = rowsOf(
    connection,
    `SELECT ${keyColumns.join()} FROM api_keys ORDER BY created_at, rowid`,
  ) as unknown as Credentials["keys"]
  const mark = connection.prepare("SELECT name FROM deployment").get()?.["name"]
  return { accounts, keys, deployment: deploymentOf(mark, keys) }
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

/** Settles the copy's accounts and keys in one transaction, before the copy is served. */
export const settleKeys = (copy: DatabaseSync, settlement: Settlement): RestoredKeys => {
  const { accounts } = settlement.former ?? { accounts: [] }
  const { deployment } = settlement
  const { next, added, outcome } = settledKeys(credentialsOf(copy), settlement, BigInt(Date.now()))

  copy.exec("BEGIN IMMEDIATE")
  const insertAccount = copy.prepare("INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  // As a key, an account is refused if either store refuses it.
  const disable = copy.prepare("UPDATE accounts SET disabled_at = coalesce(disabled_at, ?) WHERE name = ?")
  for (const { id, name, created_at, disabled_at } of accounts) {
    insertAccount.run(id, name, created_at)
    disable.run(disabled_at, name)
  }
  const update = copy.prepare(`UPDATE api_keys SET ${settledColumns.map((name) => `${name} = ?`).join()} WHERE hash = ?`)
  for (const key of next) update.run(...settledColumns.map((name) => key[name]), key.hash)
  // By name, because the backup may have a different account with that name if the store has been recreated since then.
  const values = keyColumns.map((name) => (name === "account_id" ? "(SELECT id FROM accounts WHERE name = ?)" : "?"))
  const insertKey = copy.prepare(`INSERT INTO api_keys (${keyColumns.join()}) VALUES (${values.join()})`)
  const nameOf = new Map(accounts.map(({ id, name }) => [id, name]))
  for (const key of added) {
    const row = { ...key, account_id: nameOf.get(key.account_id) ?? null }
    insertKey.run(...keyColumns.map((name) => row[name]))
  }
  if (deployment !== undefined) {
    const mark = "INSERT INTO deployment (only_row, name) VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET name = excluded.name"
    copy.prepare(mark).run(deployment)
  }
  copy.exec("COMMIT")

  return outcome(credentialsOf(copy))
}
