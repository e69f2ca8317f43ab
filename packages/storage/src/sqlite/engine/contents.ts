/** Summarizes a SQLite store's content as a count and a checksum, which are equal for stores with the same rows. */
import { createHash } from "node:crypto"
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import type { Contents } from "../../store-copy.js"

/** The number of rows that are hashed at once, in identifier order. */
const rowsAtOnce = 1_000

export const hasTable = (connection: DatabaseSync, name: string): boolean =>
  connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

/** A query's rows as objects with exact integers. */
export const rowsOf = (connection: DatabaseSync, sql: string): ReadonlyArray<Record<string, SQLOutputValue>> => {
  const statement = connection.prepare(sql)
  statement.setReadBigInts(true)
  return statement.all()
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const texts = (connection: DatabaseSync, sql: string, ...values: ReadonlyArray<string>): ReadonlyArray<string> =>
  connection
    .prepare(sql)
    .all(...values)
    .map((row) => String(Object.values(row)[0]))

/** Tables that duplicate pet columns, as an index does, and the tables that belong to them. */
const indexTables = ["pets_by_name", "pets_by_category", "search_index", "outdated_entries"]

/**
 * Reads the entire store, in one snapshot if the caller has begun a transaction.
 *
 * @param except a table to skip
 */
export const contentsOf = (connection: DatabaseSync, except: string): Contents => {
  const hash = createHash("sha256")
  // Skips SQLite's own tables, except the table with the highest identifiers, because a restored store must not assign an
  // identifier twice.
  const tables = texts(
    connection,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_sequence') AND name NOT IN (?, ?, ?, ?, ?) ORDER BY name",
    except,
    ...indexTables,
  )
  hash.update(texts(connection, "PRAGMA user_version").join())
  for (const table of tables) {
    const columns = texts(connection, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table).map(
      (name) => `quote(${quoted(name)})`,
    )
    hash.update(`\n${table}\n`)
    const rows = connection.prepare(`SELECT ${columns.join(" || ',' || ")} AS line FROM ${quoted(table)} ORDER BY rowid`)
    let lines: Array<unknown> = []
    for (const row of rows.iterate()) {
      lines.push(row["line"])
      if (lines.length === rowsAtOnce) {
        hash.update(`${lines.join("\n")}\n`)
        lines = []
      }
    }
    hash.update(`${lines.join("\n")}\n`)
  }
  const [count] = rowsOf(connection, "SELECT count(*) AS pets FROM pets")
  return { pets: BigInt(String(count?.["pets"])), checksum: hash.digest("hex") }
}

export const isSame = (one: Contents, other: Contents): boolean => one.pets === other.pets && one.checksum === other.checksum
