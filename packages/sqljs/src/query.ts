import type { Connection } from "./connection.js"
import { SQLITE_ROW } from "./errors.js"
import { value as cell, statement as fields } from "./structures.js"
import { readValue, type SQLOutputValue } from "./values.js"

export const quoted = (name: SQLOutputValue): string => `"${String(name).replaceAll('"', '""')}"`

/** Returns the rows of SQL without parameters, or throws SQLite's error. `connection.unauthorized` skips the authorizer. */
export const query = (connection: Connection, sql: string, asBigInt = false): SQLOutputValue[][] => {
  const { engine } = connection
  const handle = connection.prepare(sql)
  try {
    const rows: SQLOutputValue[][] = []
    for (;;) {
      const code = engine.call.sqlite3_step(handle)
      if (code !== SQLITE_ROW) {
        connection.check(code)
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

/** A table's primary key and its columns, except hidden or generated ones. `undefined` if the table or its key does not exist. */
export const describeTable = (connection: Connection, schema: string, name: string) => {
  const declared = query(connection, `PRAGMA ${quoted(schema)}.table_xinfo(${quoted(name)})`).filter((column) => column[6] === 0)
  const keys = declared.map((column) => Number(column[5]))
  if (keys.every((key) => key === 0)) return undefined
  const columns = declared.map(([, name, type, , value]) => ({
    name: quoted(name ?? ""),
    type: String(type),
    default: String(value ?? "NULL"),
  }))
  return { name, keys, columns }
}
