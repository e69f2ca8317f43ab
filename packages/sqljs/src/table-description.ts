import type { Connection } from "./connection.js"
import { query, quoted } from "./query.js"

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
