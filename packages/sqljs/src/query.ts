/** Questions this package itself puts to SQLite. They run without the user's authorizer and options. */
import type { Connection } from "./connection.js"
import { SQLITE_ROW } from "./errors.js"
import { value as cell, statement as fields } from "./structures.js"
import { type Read, readValue } from "./values.js"

/** All rows of one statement without parameters, as arrays. Call it within `connection.unauthorized`. */
export const query = (connection: Connection, sql: string): Read[][] => {
  const { engine } = connection
  const handle = connection.prepare(sql)
  const rows: Read[][] = []
  while (engine.call.sqlite3_step(handle) === SQLITE_ROW) {
    const first = engine.memory.int(handle + fields.row)
    const count = engine.call.sqlite3_column_count(handle)
    rows.push(Array.from({ length: count }, (_, column) => readValue(engine, first + column * cell.size, false)))
  }
  engine.call.sqlite3_finalize(handle)
  return rows
}
