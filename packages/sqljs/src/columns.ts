/**
 * Finds the table and column that each result column comes from. sql.js is built without SQLite's column metadata, but SQLite
 * determines the declared types of result columns by the rules of that metadata. This module therefore prepares the statement
 * again while every table column has a unique declared type, which identifies the origin.
 */
import { listening } from "./authorizer.js"
import type { Connection } from "./connection.js"
import type { Engine } from "./engine.js"
import { SQLITE_OK } from "./errors.js"
import { hashValues } from "./memory.js"
import * as structures from "./structures.js"
import { readValue } from "./values.js"

/** A result column. The fields of its origin are `null` for an expression. */
export interface StatementColumnMetadata {
  column: string | null
  database: string | null
  name: string
  table: string | null
  type: string | null
}

type Origin = Readonly<Record<"column" | "database" | "table", string>>

/** Every table that a statement can name, and its schema's name: schema tables, and tables of modules such as `json_each`. */
const tablesOf = (connection: Connection): { readonly at: number; readonly database: string }[] => {
  const { memory } = connection.engine
  const tables = connection.databases().flatMap(({ name: database, entry }) => {
    const at = memory.int(entry + structures.schema.entrySchema)
    return at === 0 ? [] : hashValues(memory, at + structures.schema.tables).map((table) => ({ at: table, database }))
  })
  const own = hashValues(memory, connection.handle + structures.database.modules).map((module) =>
    memory.int(module + structures.module.ownTable),
  )
  return [...tables, ...own.filter((at) => at !== 0).map((at) => ({ at, database: "main" }))]
}

/** Replaces a column's declared type. Call the result to restore the type, before any schema is loaded or changed. */
const replaceType = (engine: Engine, column: number, type: string): (() => void) => {
  const { memory, call } = engine
  const name = memory.int(column + structures.column.name)
  const flags = memory.short(column + structures.column.flags)
  const texts = [memory.text(name)]
  const next = () => name + texts.reduce((length, text) => length + Buffer.byteLength(text) + 1, 0)
  if ((flags & structures.columnFlag.hasType) !== 0) texts.push(memory.text(next()))
  const collation = (flags & structures.columnFlag.hasCollation) === 0 ? [] : [memory.text(next())]
  const text = Buffer.from([texts[0], type, ...collation, ""].join("\0"))
  const pointer = engine.allocate(text.length)
  memory.bytes.set(text, pointer)
  memory.setInt(column + structures.column.name, pointer)
  memory.setShort(column + structures.column.flags, flags | structures.columnFlag.hasType)
  return () => {
    memory.setInt(column + structures.column.name, name)
    memory.setShort(column + structures.column.flags, flags)
    call.free(pointer)
  }
}

/** The declared types of a prepared statement's result columns. EXPLAIN rows have none. */
const typesOf = (engine: Engine, handle: number, count: number): (string | null)[] => {
  const { memory } = engine
  const isExplain = (memory.int(handle + structures.statement.bits) & structures.statementBit.explain) !== 0
  if (isExplain) return new Array<null>(count).fill(null)
  const first =
    memory.int(handle + structures.statement.columnNames) +
    (memory.int(handle + structures.statement.columnCounts) >>> 16) * structures.value.size
  return Array.from({ length: count }, (_, column) => {
    const type = readValue(engine, first + column * structures.value.size, false)
    return typeof type === "string" ? type : null
  })
}

/** The declared types of the result columns if the SQL is prepared now; `undefined` if it cannot be prepared. */
const typesNow = ({ engine, handle }: Connection, sql: string, count: number): (string | null)[] | undefined =>
  engine.withResult((result) => {
    const code = engine.withText(sql, (pointer) => engine.call.sqlite3_prepare_v2(handle, pointer, -1, result, 0))
    const prepared = engine.memory.int(result)
    if (code !== SQLITE_OK || prepared === 0) return undefined
    const types = typesOf(engine, prepared, count)
    engine.call.sqlite3_finalize(prepared)
    return types
  })

/** SQLite's type name for a rowid. No column has this type while the types are replaced. */
const rowidType = "INTEGER"
/** `iPKey` of a table without a rowid column: -1. */
const noColumn = 0xffff

/** @param keepsRowids whether a rowid key stays a rowid. Otherwise, SQL whose ON CONFLICT names the key cannot be prepared */
const originsWith = (connection: Connection, sql: string, count: number, named: ReadonlySet<string>, keepsRowids: boolean) => {
  const { engine } = connection
  const { memory } = engine
  const origins: Origin[] = []
  /** The origin that `rowid` refers to in each table. */
  const rowids = new Map<string, Origin>()
  const undo: (() => void)[] = []
  const flags = memory.int(connection.handle + structures.database.flags)
  try {
    for (const { at, database } of tablesOf(connection)) {
      const table = memory.text(memory.int(at + structures.table.name))
      if (!named.has(`${database}.${table}`)) continue
      const columns = memory.int(at + structures.table.columns)
      const rowidColumn = memory.short(at + structures.table.rowidColumn)
      rowids.set(`${database}.${table}`, { column: "rowid", database, table })
      for (let index = 0; index < memory.short(at + structures.table.columnCount); index++) {
        const column = columns + index * structures.column.size
        const origin = { column: memory.text(memory.int(column + structures.column.name)), database, table }
        if (index === rowidColumn) rowids.set(`${database}.${table}`, origin)
        undo.push(replaceType(engine, column, `#${origins.push(origin) - 1}`))
      }
      if (rowidColumn === noColumn || keepsRowids) continue
      // Turns the rowid column into an ordinary column, because a rowid always has the same type.
      memory.setShort(at + structures.table.rowidColumn, noColumn)
      undo.push(() => memory.setShort(at + structures.table.rowidColumn, rowidColumn))
    }
    // A foreign key that references a rowid would fail, so foreign keys are off here.
    connection.setFlag(structures.flag.foreignKeys, false)
    const read = new Set<string>()
    const note = (column: string | null, table: string | null, database: string | null) => {
      const name = `${database}.${table}`
      if (column === "ROWID" || (keepsRowids && column === rowids.get(name)?.column)) read.add(name)
    }
    const types = listening(connection, note, () => typesNow(connection, sql, count))
    // The rowids of several tables cannot be distinguished.
    const [onlyRowid] = read.size === 1 ? [...read].map((table) => rowids.get(table)) : []
    return types?.map((type) => {
      if (type?.startsWith("#")) return origins[Number(type.slice(1))]
      return type === rowidType ? onlyRowid : undefined
    })
  } finally {
    for (const restore of undo) restore()
    memory.setInt(connection.handle + structures.database.flags, flags)
  }
}

const originsOf = (connection: Connection, sql: string, count: number): (Origin | undefined)[] => {
  // Loads the schemas, so that they do not change later, and finds the tables that the statement reads. A statement that can no
  // longer be prepared has no origins.
  const named = new Set<string>()
  const note = (_: unknown, table: string | null, database: string | null) => named.add(`${database}.${table}`)
  const types = listening(connection, note, () => typesNow(connection, sql, count))
  if (types === undefined) return []
  return originsWith(connection, sql, count, named, false) ?? originsWith(connection, sql, count, named, true) ?? []
}

export const describeColumns = (connection: Connection, handle: number, names: readonly string[]): StatementColumnMetadata[] => {
  const { memory, call } = connection.engine
  if (names.length === 0) return []
  const sql = memory.text(call.sqlite3_sql(handle))
  const origins = connection.unauthorized(() => originsOf(connection, sql, names.length))
  const types = typesOf(connection.engine, handle, names.length)
  return names.map((name, column) => {
    const { column: origin = null, database = null, table = null } = origins[column] ?? {}
    // Node.js's descriptions have no prototype.
    return Object.assign(Object.create(null), { column: origin, database, name, table, type: types[column] ?? null })
  })
}
