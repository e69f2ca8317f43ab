/** Applies a changeset entirely or not at all. The caller resolves conflicts: changes that cannot be applied to their rows. */
import { type Change, decodeChangeset, decodeValue, unchanged } from "./changeset.js"
import type { Connection } from "./connection.js"
import { constants } from "./constants.js"
import { errcodeOf, SQLITE_AUTH, SQLITE_CONSTRAINT, SQLITE_MISUSE, SQLITE_OK, sqliteErrorOfCode } from "./errors.js"
import { quoted, change as run } from "./query.js"
import { database as fields } from "./structures.js"
import { describeTable } from "./table-description.js"

export interface ApplyChangesetOptions {
  /** Returns whether to apply a table's changes. */
  filter?: ((tableName: string) => boolean) | undefined
  /** Returns SQLITE_CHANGESET_OMIT, _REPLACE or _ABORT for a kind of conflict; _ABORT by default. */
  onConflict?: ((conflictType: number) => number) | undefined
}

interface Callbacks {
  readonly filter: ((table: string) => unknown) | undefined
  readonly onConflict: ((kind: number) => unknown) | undefined
}

/** Thrown to undo everything; `applyChangeset` then returns `false`. */
const aborted = Symbol("aborted")

/** Applies one table's changes. Those that violate a constraint are retried last, when the conflict may no longer exist. */
class TableApplication {
  readonly #connection: Connection
  readonly #name: string
  readonly #keys: readonly number[]
  readonly #columns: readonly string[]
  readonly #decide: (kind: number) => unknown
  #waiting: Change[] = []

  constructor(
    connection: Connection,
    table: { name: string; keys: readonly number[]; columns: readonly { readonly name: string }[] },
    decide: (kind: number) => unknown,
  ) {
    this.#connection = connection
    this.#name = `main.${quoted(table.name)}`
    this.#keys = table.keys
    this.#columns = table.columns.map(({ name }) => name)
    this.#decide = decide
  }

  /** Prepares every statement first, as SQLite does, so that the authorizer can deny the changeset before anything changes. */
  #prepareAll(): void {
    const columns = this.#columns.slice(0, this.#keys.length)
    const condition = columns.map((column) => `${column} IS ?`).join(" AND ")
    for (const sql of [
      `SELECT ${columns.join()} FROM ${this.#name} WHERE ${condition}`,
      `DELETE FROM ${this.#name} WHERE ${condition}`,
      `INSERT INTO ${this.#name} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
    ]) {
      this.#connection.tryPrepare(sql)
    }
  }

  apply(changes: readonly Change[]): void {
    this.#prepareAll()
    let left = changes
    for (;;) {
      this.#waiting = []
      for (const one of left) this.#one(one, false, true)
      if (this.#waiting.length === 0) return
      if (this.#waiting.length === left.length) break
      left = this.#waiting
    }
    for (const one of left) this.#one(one, false, false)
  }

  /** Whether to replace the row. Throws if the caller aborts, and for an invalid result. */
  #replaces(kind: number, replaceable: boolean): boolean {
    const answer = this.#decide(kind)
    if (answer === constants.SQLITE_CHANGESET_OMIT) return false
    if (answer === constants.SQLITE_CHANGESET_ABORT) throw aborted
    if (answer === constants.SQLITE_CHANGESET_REPLACE && replaceable) return true
    throw sqliteErrorOfCode(SQLITE_MISUSE)
  }

  #run(sql: string, encoded: readonly string[]): { code: number; changes: number } {
    const result = run(this.#connection, sql, encoded.map(decodeValue))
    if (result.code !== SQLITE_OK && (result.code & 0xff) !== SQLITE_CONSTRAINT) throw sqliteErrorOfCode(result.code)
    return result
  }

  /** The SQL condition that finds a row by its key or by all known columns, and the condition's values. */
  #where(row: readonly string[], keyOnly: boolean): { sql: string; values: string[] } {
    const told = row.flatMap((value, column) =>
      (this.#keys[column] !== 0 || !keyOnly) && value !== unchanged ? [{ column: this.#columns[column], value }] : [],
    )
    return { sql: told.map(({ column }) => `${column} IS ?`).join(" AND "), values: told.map(({ value }) => value) }
  }

  #exists(row: readonly string[]): boolean {
    const { sql, values } = this.#where(row, true)
    return run(this.#connection, `SELECT 1 FROM ${this.#name} WHERE ${sql}`, values.map(decodeValue)).isFound
  }

  #execute({ operation, before, after }: Change, keyOnly: boolean): { code: number; changes: number } {
    if (operation === constants.SQLITE_INSERT) {
      const columns = this.#columns.slice(0, after.length)
      return this.#run(`INSERT INTO ${this.#name} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`, after)
    }
    const { sql, values } = this.#where(before, keyOnly)
    if (operation === constants.SQLITE_DELETE) return this.#run(`DELETE FROM ${this.#name} WHERE ${sql}`, values)
    const set = after.flatMap((value, column) => (value === unchanged ? [] : [{ column: this.#columns[column], value }]))
    const assignments = set.map(({ column }) => `${column} = ?`).join()
    return this.#run(`UPDATE ${this.#name} SET ${assignments} WHERE ${sql}`, [...set.map(({ value }) => value), ...values])
  }

  #one(one: Change, keyOnly: boolean, mayWait: boolean): void {
    const { code, changes } = this.#execute(one, keyOnly)
    const row = one.operation === constants.SQLITE_INSERT ? one.after : one.before
    if (code !== SQLITE_OK) {
      if (one.operation === constants.SQLITE_INSERT && !keyOnly && this.#exists(row)) {
        if (this.#replaces(constants.SQLITE_CHANGESET_CONFLICT, true)) {
          this.#execute({ operation: constants.SQLITE_DELETE, before: row, after: [] }, true)
          this.#one(one, true, false)
        }
      } else if (mayWait) this.#waiting.push(one)
      else this.#replaces(constants.SQLITE_CHANGESET_CONSTRAINT, false)
    } else if (changes === 0 && one.operation !== constants.SQLITE_INSERT) {
      if (keyOnly || !this.#exists(row)) this.#replaces(constants.SQLITE_CHANGESET_NOTFOUND, false)
      else if (this.#replaces(constants.SQLITE_CHANGESET_DATA, true)) this.#one(one, true, mayWait)
    }
  }
}

const applyTables = (
  connection: Connection,
  bytes: Uint8Array,
  isWanted: (table: string) => unknown,
  decide: (kind: number) => unknown,
): void => {
  for (const { table, changes } of decodeChangeset(bytes)) {
    if (!isWanted(table.name)) continue
    const present = describeTable(connection, "main", table.name)
    // Like SQLite, skips the changes of a table that does not exist or has a different key.
    const known = present?.keys.slice(0, table.keys.length).map((key) => Number(key !== 0))
    if (present === undefined || known?.join() !== table.keys.map((key) => Number(key !== 0)).join()) continue
    new TableApplication(connection, { ...present, keys: table.keys }, decide).apply(changes)
  }
  const { memory } = connection.engine
  const at = connection.handle + fields.deferredViolations
  if (memory.long(at) + memory.long(at + 8) === 0n) return
  if (decide(constants.SQLITE_CHANGESET_FOREIGN_KEY) !== constants.SQLITE_CHANGESET_OMIT)
    throw sqliteErrorOfCode(SQLITE_CONSTRAINT)
}

/** Applies a changeset or patchset to "main". Returns `false` if a conflict aborted it. Throws SQLite's or a callback's error. */
export const applyChangeset = (connection: Connection, bytes: Uint8Array, { filter, onConflict }: Callbacks): boolean => {
  const { authorizer } = connection
  let isDenied = false
  if (authorizer !== undefined) {
    connection.authorizer = (...asked) => {
      try {
        return authorizer(...asked)
      } catch {
        isDenied = true
        return constants.SQLITE_DENY
      }
    }
  }
  let isFromCallback = false
  /** Runs a callback, during which the database cannot be closed. */
  const calling = <A>(call: () => A): A => {
    connection.callbackDepth++
    try {
      return call()
    } catch (thrown) {
      isFromCallback = true
      throw thrown
    } finally {
      connection.callbackDepth--
    }
  }
  const isWanted = (table: string) => filter === undefined || calling(() => filter.call(null, table))
  const decide = (kind: number) =>
    onConflict === undefined ? constants.SQLITE_CHANGESET_ABORT : calling(() => onConflict.call(null, kind))
  let isBegun = false
  try {
    connection.exec("SAVEPOINT changeset_apply")
    isBegun = true
    connection.exec("PRAGMA defer_foreign_keys = 1")
    applyTables(connection, bytes, isWanted, decide)
    connection.exec("PRAGMA defer_foreign_keys = 0; RELEASE changeset_apply")
    return true
  } catch (thrown) {
    if (isBegun) {
      connection.unauthorized(() =>
        connection.exec("PRAGMA defer_foreign_keys = 0; ROLLBACK TO changeset_apply; RELEASE changeset_apply"),
      )
    }
    if (thrown === aborted) return false
    if (isFromCallback) throw thrown
    // As in Node.js: with SQLite's code only, or as a denied action if the authorizer threw an error.
    const errcode = isDenied ? SQLITE_AUTH : errcodeOf(thrown)
    throw errcode === undefined ? thrown : sqliteErrorOfCode(errcode)
  } finally {
    // A callback may have removed the authorizer, which must then stay removed.
    if (connection.authorizer !== undefined && authorizer !== undefined) connection.authorizer = authorizer
  }
}
