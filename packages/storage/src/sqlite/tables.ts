/** Statements on tables with the same SQL in both databases, and on an app's tables. Every text is prepared once. */
import type { DatabaseSync } from "node:sqlite"
import type { AppValue } from "../app-table.js"
import type { BoundStatement, Rows, Tables } from "../sql/tables.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"
import { allOrNothing } from "./engine/transaction.js"

const statementsOn = (connection: DatabaseSync): ((sql: string, values: ReadonlyArray<AppValue>) => Rows) => {
  const prepared = new Map<string, ReturnType<typeof prepareExact>>()
  return (sql, values) => {
    const statement = prepared.get(sql) ?? prepareExact(connection, sql)
    prepared.set(sql, statement)
    // Safe: statements that are prepared this way return rows as arrays.
    return statement.all(...values) as unknown as Rows
  }
}

export const tableWrites = (connection: DatabaseSync) => {
  const rowsOf = statementsOn(connection)
  return {
    writeOne: rowsOf,

    writeBoth: (first: BoundStatement, second: BoundStatement): Rows =>
      allOrNothing(connection, () => {
        const rows = rowsOf(...first)
        if (rows.length > 0) rowsOf(...second)
        return rows
      }),
  }
}

export const sqliteTables = ({ connection, run, writes }: Database<ReturnType<typeof tableWrites>>): Tables => {
  const rowsOf = statementsOn(connection)
  return {
    dialect: "sqlite",
    read: (sql, values = []) => run(() => rowsOf(sql, values)),
    write: writes.writeOne,
    writeBoth: writes.writeBoth,
  }
}
