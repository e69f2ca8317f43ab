import type { Connection } from "./connection.js"
import { SQLITE_DONE, SQLITE_OK, SQLITE_ROW } from "./errors.js"
import { Parameters } from "./parameters.js"
import { value as cell, database as databaseFields, statement as fields } from "./structures.js"
import { type Read, readValue } from "./values.js"

export const quoted = (name: Read): string => `"${String(name).replaceAll('"', '""')}"`

/** Returns the rows of SQL without parameters, or throws SQLite's error. `connection.unauthorized` skips the authorizer. */
export const query = (connection: Connection, sql: string, asBigInt = false): Read[][] => {
  const { engine } = connection
  const handle = connection.prepare(sql)
  try {
    const rows: Read[][] = []
    for (;;) {
      const code = engine.call.sqlite3_step(handle)
      if (code !== SQLITE_ROW) {
        connection.check(code, SQLITE_DONE)
        return rows
      }
      const first = engine.memory.int(handle + fields.row)
      const count = engine.call.sqlite3_column_count(handle)
      rows.push(Array.from({ length: count }, (_, column) => readValue(engine, first + column * cell.size, asBigInt)))
    }
  } finally {
    engine.call.sqlite3_finalize(handle)
  }
}

/** Runs one statement. Returns SQLite's result code, the number of changed rows, and whether the statement returned a row. */
export const change = (
  connection: Connection,
  sql: string,
  values: readonly Read[],
): { code: number; changes: number; isFound: boolean } => {
  const { engine } = connection
  const handle = connection.prepare(sql)
  let isFound = false
  let code: number
  try {
    new Parameters(connection, handle).bindInOrder(values)
    isFound = engine.call.sqlite3_step(handle) === SQLITE_ROW
  } finally {
    code = engine.call.sqlite3_finalize(handle)
  }
  connection.check(SQLITE_OK)
  return { code, changes: Number(engine.memory.long(connection.handle + databaseFields.changes)), isFound }
}
