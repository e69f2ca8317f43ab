/** Applies a changeset entirely or not at all. The caller resolves conflicts: changes that cannot be applied to their rows. */
import { type Change, decodeChangeset, decodeValue, unchanged } from "./changeset.js"
import type { Connection } from "./connection.js"
import { constants } from "./constants.js"
import { errcodeOf, SQLITE_AUTH, SQLITE_CONSTRAINT, SQLITE_MISUSE, SQLITE_OK, SQLITE_ROW, sqliteErrorOfCode } from "./errors.js"
import type { Callable } from "./options.js"
import { Parameters } from "./parameters.js"
import { describeTable, quoted } from "./query.js"
import { database as fields } from "./structures.js"

export interface ApplyChangesetOptions {
  /** Returns whether to apply a table's changes. */
  filter?: ((tableName: string) => boolean) | undefined
  /** Returns SQLITE_CHANGESET_OMIT, _REPLACE or _ABORT for a kind of conflict; _ABORT by default. */
  onConflict?: ((conflictType: number) => number) | undefined
}

type Callbacks = Readonly<Record<"filter" | "onConflict", Callable | undefined>>

/** Thrown to undo everything; `applyChangeset` then returns `false`. */
const aborted = Symbol("aborted")

/** Applies one table's changes. Those that violate a constraint are retried last, when the conflict may no longer exist. */
const applyTable = (
  connection: Connection,
  { name, keys, columns }: { name: string; keys: readonly number[]; columns: readonly string[] },
  changes: readonly Change[],
  decide: (kind: number) => unknown,
): void => {
  const table = `main.${quoted(name)}`
  const insertion = `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`
  const condition = columns.map((column) => `${column} IS ?`).join(" AND ")
  let waiting: Change[] = []

  const run = (sql: string, encoded: readonly string[]) => {
    const { engine } = connection
    const handle = connection.prepare(sql)
    let isFound = false
    let code: number
    try {
      new Parameters(connection, handle).bindInOrder(encoded.map(decodeValue))
      isFound = engine.call.sqlite3_step(handle) === SQLITE_ROW
    } finally {
      code = engine.call.sqlite3_finalize(handle)
    }
    connection.check(SQLITE_OK)
    if (code !== SQLITE_OK && (code & 0xff) !== SQLITE_CONSTRAINT) throw sqliteErrorOfCode(code)
    return { isDone: code === SQLITE_OK, changedRows: engine.memory.long(connection.handle + fields.changes), isFound }
  }

  /** The known columns of a row, or only those in the key, and their values. */
  const known = (row: readonly string[], keyOnly: boolean) =>
    row.flatMap((value, column) =>
      (keys[column] !== 0 || !keyOnly) && value !== unchanged ? [{ column: columns[column], value }] : [],
    )

  /** Runs SQL for the row that has the key or all known columns of `row`. @param set the parameters before those of the row */
  const runWhere = (sql: string, row: readonly string[], keyOnly: boolean, set: readonly { readonly value: string }[] = []) => {
    const wanted = known(row, keyOnly)
    const where = wanted.map(({ column }) => `${column} IS ?`).join(" AND ")
    const values = [...set, ...wanted].map(({ value }) => value)
    return run(`${sql} WHERE ${where}`, values)
  }

  const execute = ({ operation, before, after }: Change, keyOnly: boolean) => {
    if (operation === constants.SQLITE_INSERT) return run(insertion, after)
    if (operation === constants.SQLITE_DELETE) return runWhere(`DELETE FROM ${table}`, before, keyOnly)
    const set = known(after, false)
    return runWhere(`UPDATE ${table} SET ${set.map(({ column }) => `${column} = ?`).join()}`, before, keyOnly, set)
  }

  /** Whether to replace the row. Throws if the caller aborts, and for an invalid result. */
  const replaces = (kind: number, replaceable: boolean): boolean => {
    const answer = decide(kind)
    if (answer === constants.SQLITE_CHANGESET_OMIT) return false
    if (answer === constants.SQLITE_CHANGESET_ABORT) throw aborted
    if (answer === constants.SQLITE_CHANGESET_REPLACE && replaceable) return true
    throw sqliteErrorOfCode(SQLITE_MISUSE)
  }

  const apply = (change: Change, keyOnly: boolean, mayWait: boolean): void => {
    const { isDone, changedRows } = execute(change, keyOnly)
    const isInsertion = change.operation === constants.SQLITE_INSERT
    const row = isInsertion ? change.after : change.before
    const exists = () => runWhere(`SELECT 1 FROM ${table}`, row, true).isFound
    if (!isDone) {
      if (isInsertion && !keyOnly && exists()) {
        if (replaces(constants.SQLITE_CHANGESET_CONFLICT, true)) {
          execute({ operation: constants.SQLITE_DELETE, before: row, after: [] }, true)
          apply(change, true, false)
        }
      } else if (mayWait) waiting.push(change)
      else replaces(constants.SQLITE_CHANGESET_CONSTRAINT, false)
    } else if (changedRows === 0n && !isInsertion) {
      if (keyOnly || !exists()) replaces(constants.SQLITE_CHANGESET_NOTFOUND, false)
      else if (replaces(constants.SQLITE_CHANGESET_DATA, true)) apply(change, true, mayWait)
    }
  }

  // Prepares every statement first, as SQLite does, so that the authorizer can deny the changeset before anything changes.
  connection.tryPrepare(`SELECT ${columns.join()} FROM ${table} WHERE ${condition}`)
  connection.tryPrepare(`DELETE FROM ${table} WHERE ${condition}`)
  connection.tryPrepare(insertion)
  let left = changes
  let tried: number
  do {
    tried = left.length
    waiting = []
    for (const change of left) apply(change, false, true)
    left = waiting
  } while (left.length > 0 && left.length < tried)
  for (const change of left) apply(change, false, false)
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
    const columns = present.columns.slice(0, table.keys.length).map((column) => column.name)
    applyTable(connection, { ...table, columns }, changes, decide)
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
