/** Unlike pets, keys do not revert: if the former store is readable, revoked keys stay revoked and newer keys are kept. */
import type { DatabaseSync } from "node:sqlite"
import { type Credentials, deploymentOf, keyColumns, type Settlement, settledKeys } from "../key-settlement.js"
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
  const { deployment } = settlement
  const { statements, outcome } = settledKeys(credentialsOf(copy), settlement, BigInt(Date.now()))

  copy.exec("BEGIN IMMEDIATE")
  for (const [sql, values] of statements) copy.prepare(sql).run(...values)
  if (deployment !== undefined) {
    const mark = "INSERT INTO deployment (only_row, name) VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET name = excluded.name"
    copy.prepare(mark).run(deployment)
  }
  copy.exec("COMMIT")

  return outcome(credentialsOf(copy))
}
