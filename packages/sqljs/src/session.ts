/**
 * Finds the changes to a database since a session began. sql.js is built without SQLite's session extension, so a session
 * stores the rows of its tables at the start and compares them later. The extension would find the same changes. The cost
 * depends on the size of the tables, not on the number of changes.
 */
import { type Change, type ChangedTable, encodeChange, encodeTable, encodeValue, keyOf, unchanged } from "./changeset.js"
import { type Connection, usingConnection } from "./connection.js"
import { constants } from "./constants.js"
import { invalidState, SQLITE_SCHEMA, sqliteError } from "./errors.js"
import { type Public, publishInternal } from "./public-class.js"
import { describeTable, query, quoted } from "./query.js"
import type { SQLOutputValue } from "./values.js"

export interface CreateSessionOptions {
  /** The only table to watch; every table by default. */
  table?: string | undefined
  /** The name of the database to watch; "main" by default. */
  db?: string | undefined
}

interface Contents extends ChangedTable {
  /** Encoded rows by encoded primary key. */
  readonly rows: ReadonlyMap<string, readonly string[]>
  /** For each column added since the session began: its default value, and the keys of the rows that have this value. */
  readonly added: readonly { readonly value: string; readonly isIn: ReadonlySet<string> }[]
}

/** The value that older rows have in an added column: the default, with the column's affinity. */
const defaultOf = ({ engine }: Connection, column: { readonly type: string; readonly default: string }): SQLOutputValue =>
  usingConnection(engine, ":memory:", (scratch) => {
    scratch.exec(`CREATE TABLE added (value ${column.type} DEFAULT (${column.default})); INSERT INTO added DEFAULT VALUES`)
    return query(scratch, "SELECT value FROM added", true)[0]?.[0] ?? null
  })

/** Reads all watched tables with their rows. @param before the tables at the start of the session */
const tablesOf = (
  connection: Connection,
  schema: string,
  only: string | undefined,
  before: ReadonlyMap<string, Contents>,
): Contents[] => {
  if (!query(connection, "PRAGMA database_list").some(([, name]) => name === schema)) return []
  const listed = query(
    connection,
    `SELECT name FROM ${quoted(schema)}.sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid`,
  )
  const names = listed.map(([name]) => String(name)).filter((name) => !name.startsWith("sqlite_") && (only ?? name) === name)
  return names.flatMap((name) => {
    const table = describeTable(connection, schema, name)
    if (table === undefined) return []
    const { keys, columns } = table
    const from = `${quoted(schema)}.${quoted(name)}`
    const added = columns.slice(before.get(name)?.keys.length ?? columns.length).map((column) => ({
      value: encodeValue(defaultOf(connection, column)),
      isIn: new Set<string>(),
      test: `${column.name} IS (${column.default})`,
    }))
    const rows = new Map<string, readonly string[]>()
    const selected = [...columns.map((column) => column.name), ...added.map(({ test }) => test)]
    for (const values of query(connection, `SELECT ${selected.join()} FROM ${from}`, true)) {
      const row = values.slice(0, columns.length)
      if (keys.some((key, column) => key !== 0 && row[column] === null)) continue
      const encoded = row.map(encodeValue)
      const key = keyOf(encoded, keys)
      rows.set(key, encoded)
      added.forEach(({ isIn }, index) => {
        if (values[columns.length + index] === 1n) isIn.add(key)
      })
    }
    return [{ name, keys, rows, added }]
  })
}

const changesBetween = (before: Contents | undefined, after: Contents): Change[] => {
  const { keys, added } = after
  // Columns may have been added, except to the key. None may have been dropped.
  const isSame = (old: Contents) => old.keys.length <= keys.length && keys.every((key, column) => key === (old.keys[column] ?? 0))
  if (before !== undefined && !isSame(before)) throw sqliteError(SQLITE_SCHEMA)
  /** A former row, completed with the columns that were added later. */
  const complete = (old: readonly string[], key: string) => [
    ...old,
    ...added.map(({ value, isIn }, index) => (isIn.has(key) ? (after.rows.get(key)?.[old.length + index] ?? value) : value)),
  ]
  const changes: Change[] = []
  for (const [key, row] of after.rows) {
    const known = before?.rows.get(key)
    if (known === undefined) {
      changes.push({ operation: constants.SQLITE_INSERT, before: [], after: row })
      continue
    }
    const old = complete(known, key)
    if (old.some((value, column) => value !== row[column])) {
      const only = (from: readonly string[], isKeyTold: boolean) =>
        from.map((value, column) => ((keys[column] !== 0 ? isKeyTold : old[column] !== row[column]) ? value : unchanged))
      changes.push({ operation: constants.SQLITE_UPDATE, before: only(old, true), after: only(row, false) })
    }
  }
  for (const [key, row] of before?.rows ?? []) {
    if (!after.rows.has(key)) changes.push({ operation: constants.SQLITE_DELETE, before: complete(row, key), after: [] })
  }
  return changes
}

export class SessionImplementation {
  readonly #current: () => Connection
  readonly #connection: Connection
  readonly #schema: string
  readonly #table: string | undefined
  #before: ReadonlyMap<string, Contents> | undefined
  /** The number of changesets in progress. It exceeds one only if an authorizer requests another changeset. */
  #inUse = 0

  /** @param current returns the database's open connection. Throws if the database is not open */
  constructor(current: () => Connection, schema: string, table: string | undefined) {
    this.#current = current
    this.#connection = current()
    this.#schema = schema
    this.#table = table
    this.#before = new Map(this.#contents(new Map()).map((contents) => [contents.name, contents]))
  }

  /** The changes, with values before and after; `DatabaseSync.prototype.applyChangeset` applies them. */
  changeset(): NodeJS.NonSharedUint8Array {
    return this.#encode(false)
  }

  /** The changes without former values. A patchset is smaller than a changeset, but detects fewer conflicts. */
  patchset(): NodeJS.NonSharedUint8Array {
    return this.#encode(true)
  }

  close(): void {
    this.#open()
    if (this.#inUse > 0) throw invalidState("session is currently in use")
    this.#before = undefined
  }

  [Symbol.dispose](): void {
    if (this.#inUse === 0) this.#before = undefined
  }

  #open(): ReadonlyMap<string, Contents> {
    const connection = this.#current()
    if (this.#before === undefined || connection !== this.#connection) throw invalidState("session is not open")
    return this.#before
  }

  #contents(before: ReadonlyMap<string, Contents>): Contents[] {
    return this.#connection.unauthorized(() => tablesOf(this.#connection, this.#schema, this.#table, before))
  }

  #encode(isPatchset: boolean): Uint8Array<ArrayBuffer> {
    const before = this.#open()
    this.#inUse++
    try {
      // As in SQLite, all tables are read in the same snapshot, after the authorizer has been called.
      this.#connection.exec("SAVEPOINT changeset")
      try {
        return this.#encodeChangesSince(before, isPatchset)
      } finally {
        this.#connection.exec("RELEASE changeset")
      }
    } finally {
      this.#inUse--
    }
  }

  #encodeChangesSince(before: ReadonlyMap<string, Contents>, isPatchset: boolean): Uint8Array<ArrayBuffer> {
    const encoded = this.#contents(before).map((after) => {
      const changes = changesBetween(before.get(after.name), after)
      if (changes.length === 0) return ""
      return encodeTable(after, isPatchset) + changes.map((change) => encodeChange(change, after.keys, isPatchset)).join("")
    })
    return new Uint8Array(Buffer.from(encoded.join(""), "latin1"))
  }
}

/** Records changes. Created by `DatabaseSync.prototype.createSession`, never with `new`. */
export interface Session extends Public<SessionImplementation> {}
export const Session: (new () => Session) & { readonly prototype: Session } = publishInternal(SessionImplementation, "Session")
