/** Questions this package itself puts to SQLite. They run without the user's authorizer and options. */
import type { Connection } from "./connection.js"
import { SQLITE_OK, SQLITE_ROW } from "./errors.js"
import { Parameters } from "./parameters.js"
import { value as cell, database as databaseFields, statement as fields } from "./structures.js"
import { type Read, readValue } from "./values.js"

/** A name of a schema, table or column as SQL writes it. */
export const quoted = (name: Read): string => `"${String(name).replaceAll('"', '""')}"`

/** All rows of one statement without parameters, as arrays. Call it within `connection.unauthorized`. */
export const query = (connection: Connection, sql: string, asBigInt = false): Read[][] => {
  const { engine } = connection
  const handle = connection.prepare(sql)
  const rows: Read[][] = []
  while (engine.call.sqlite3_step(handle) === SQLITE_ROW) {
    const first = engine.memory.int(handle + fields.row)
    const count = engine.call.sqlite3_column_count(handle)
    rows.push(Array.from({ length: count }, (_, column) => readValue(engine, first + column * cell.size, asBigInt)))
  }
  engine.call.sqlite3_finalize(handle)
  return rows
}

/** Runs one statement with values for its parameters; answers SQLite's result code, how many rows it changed, and whether it found one. */
export const change = (
  connection: Connection,
  sql: string,
  values: readonly Read[],
): { code: number; changes: number; isFound: boolean } => {
  const { engine } = connection
  const handle = connection.prepare(sql)
  new Parameters(connection, handle).bindInOrder(values)
  const isFound = engine.call.sqlite3_step(handle) === SQLITE_ROW
  const code = engine.call.sqlite3_finalize(handle)
  connection.check(SQLITE_OK)
  return { code, changes: Number(engine.memory.long(connection.handle + databaseFields.changes)), isFound }
}
