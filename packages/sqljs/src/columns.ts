/**
 * Where the columns of a result come from.
 *
 * sql.js is built without SQLite's column metadata. The declared type is
 * kept by every build; table and column are found by following the
 * statement's program: which cursor and column fill the registers of the row.
 */
import type { Connection } from "./connection.js"
import { query, quoted } from "./query.js"
import { value as cell, database as databaseFields, statement as fields } from "./structures.js"
import { type Read, readValue } from "./values.js"

/** One column of a result; `null` where it is an expression, or its origin cannot be followed. */
export interface StatementColumnMetadata {
  column: string | null
  database: string | null
  name: string
  table: string | null
  type: string | null
}

interface Origin {
  readonly column: string
  readonly database: string
  readonly table: string
}

/** The columns a cursor on this root page sees, in its own order. */
const columnsOfPage = (
  connection: Connection,
  schema: string,
  page: number,
): { row?: Origin; columns: (Origin | undefined)[] } => {
  const from = `${quoted(schema)}.sqlite_schema`
  const [entry] =
    page === 1
      ? [["table", "sqlite_schema"]]
      : query(connection, `SELECT type, tbl_name, name FROM ${from} WHERE rootpage = ${page}`)
  if (entry === undefined) return { columns: [] }
  const [type, table, name] = entry
  const origin = (column: Read): Origin => ({ column: String(column), database: schema, table: String(table) })
  const declared = query(connection, `PRAGMA ${quoted(schema)}.table_xinfo(${quoted(table ?? "")})`)
  const key = declared.filter((column) => column[5] !== 0)
  const rowColumn = key.length === 1 && String(key[0]?.[2]).toUpperCase() === "INTEGER" ? key[0]?.[1] : "rowid"
  const row = origin(rowColumn ?? "rowid")
  if (type === "table") return { row, columns: declared.map((column) => origin(column[1] ?? "")) }
  const indexed = query(connection, `PRAGMA ${quoted(schema)}.index_xinfo(${quoted(name ?? "")})`)
  return { row, columns: indexed.map((column) => (column[2] === null ? row : origin(column[2] ?? ""))) }
}

const originsOf = (connection: Connection, sql: string, count: number): (Origin | undefined)[] => {
  const schemas = new Map(query(connection, "PRAGMA database_list").map(([index, name]) => [index, String(name)]))
  const cursors = new Map<Read, ReturnType<typeof columnsOfPage>>()
  const registers = new Map<number, Origin | undefined>()
  for (const [, operation, p1, p2, p3] of query(connection, `EXPLAIN ${sql}`)) {
    const [first, second, third] = [Number(p1), Number(p2), Number(p3)]
    if (operation === "OpenRead" || operation === "ReopenIdx") {
      cursors.set(first, columnsOfPage(connection, schemas.get(third) ?? "main", second))
    } else if (operation === "Column") {
      registers.set(third, cursors.get(first)?.columns[second])
    } else if (operation === "Rowid" || operation === "IdxRowid") {
      registers.set(second, cursors.get(first)?.row)
    } else if (operation === "Copy" || operation === "SCopy") {
      registers.set(second, registers.get(first))
    } else if (operation === "ResultRow") {
      return Array.from({ length: count }, (_, column) => registers.get(first + column))
    }
  }
  return []
}

/** Describes the columns of a prepared statement, whose names are `names`. */
export const describeColumns = (connection: Connection, handle: number, names: readonly string[]): StatementColumnMetadata[] => {
  const { memory, call } = connection.engine
  if (names.length === 0) return []
  const sql = memory.text(call.sqlite3_sql(handle))
  const changes = memory.long(connection.handle + databaseFields.changes)
  const origins = connection.unauthorized(() => originsOf(connection, sql, names.length))
  // Explaining a statement that writes sets the number of changes to none.
  memory.setLong(connection.handle + databaseFields.changes, changes)
  const types = memory.int(handle + fields.columnNames) + (memory.int(handle + fields.columnCounts) >>> 16) * cell.size
  return names.map((name, column) => {
    const type = readValue(connection.engine, types + column * cell.size, false)
    const { column: origin = null, database = null, table = null } = origins[column] ?? {}
    // Node.js's descriptions have no prototype.
    return Object.assign(Object.create(null), {
      column: origin,
      database,
      name,
      table,
      type: typeof type === "string" ? type : null,
    })
  })
}
