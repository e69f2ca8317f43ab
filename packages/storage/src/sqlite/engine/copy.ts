/** Copies an entire store into one file with a row count and a checksum, which are equal for stores with the same rows. */
import { createHash } from "node:crypto"
import { rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { backup, DatabaseSync, SQLOutputValue } from "node:sqlite"
import { BackupFailed } from "../../backup-failed.js"
import { sync } from "../../publish-file.js"
import type { Contents } from "../../store-copy.js"
import { siblings } from "./store-file.js"
import { openMillis } from "./waiting.js"

/** The engine: `node:sqlite`, or `@petstore/sqljs` with the same API. */
export interface Engine {
  readonly DatabaseSync: new (path: string, options: { readonly timeout: number }) => DatabaseSync
  readonly backup: typeof backup
}

/** The table with a backup's count and checksum, which are in the file itself so that they cannot get lost. */
export const manifest = "petstore_backup"

/** A step size that covers all pages. A copy in several steps would start again whenever another connection writes. */
export const allPages = 2 ** 31 - 1

export const syncWithName = async (file: string): Promise<void> => {
  await sync(file)
  await sync(dirname(file))
}

/** Removes a file that no program has open, together with its siblings. */
export const removeWithSiblings = async (file: string): Promise<void> => {
  for (const suffix of ["", ...siblings]) await rm(`${file}${suffix}`, { force: true })
}

/** Opens a copy as a single file, without a separate log. */
export const openCopy = ({ DatabaseSync }: Pick<Engine, "DatabaseSync">, file: string): DatabaseSync => {
  const copy = new DatabaseSync(file, { timeout: openMillis })
  copy.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
  return copy
}

/** The number of rows that are hashed at once, in identifier order. */
const rowsAtOnce = 1_000

const hasTable = (connection: DatabaseSync, name: string): boolean =>
  connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined

/** Whether a database has the tables of a store. */
export const isOurs = (connection: DatabaseSync): boolean =>
  ["pets", "orders", "accounts", "api_keys"].every((name) => hasTable(connection, name))

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

/** Reads the entire store except a manifest, in one snapshot if the caller has begun a transaction. */
export const contentsOf = (connection: DatabaseSync): Contents => {
  const hash = createHash("sha256")
  // Skips SQLite's own tables except that of the highest identifiers, which a restored store must not assign twice. Skips the
  // words of names, which are derived: a service compares them with the names at its start.
  const tables = texts(
    connection,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_sequence') AND name NOT LIKE 'pet\\_words%' ESCAPE '\\' AND name <> ? ORDER BY name",
    manifest,
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

export const hasContents = (connection: DatabaseSync, { pets, checksum }: Contents): boolean => {
  const found = contentsOf(connection)
  return found.pets === pets && found.checksum === checksum
}

/** Makes a copy a backup: one with a manifest, and without a store's number. */
export const seal = (copy: DatabaseSync, { pets, checksum }: Contents): void => {
  // A store that was created by copying a backup file still has that backup's manifest.
  copy.exec(
    `PRAGMA application_id = 0; DROP TABLE IF EXISTS ${manifest}; CREATE TABLE ${manifest} (pets INTEGER NOT NULL, checksum TEXT NOT NULL) STRICT`,
  )
  copy.prepare(`INSERT INTO ${manifest} VALUES (?, ?)`).run(pets, checksum)
}

export const manifestOf = (backup: DatabaseSync, file: string): Contents => {
  if (!hasTable(backup, manifest)) throw new BackupFailed({ reason: `${file} is not a backup of this program.` })
  const [row] = rowsOf(backup, `SELECT pets, checksum FROM ${manifest}`)
  return { pets: BigInt(String(row?.["pets"])), checksum: String(row?.["checksum"]) }
}
