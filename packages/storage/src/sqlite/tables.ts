/** Statements on tables with the same SQL in both databases, and on an app's tables. Every text is prepared once. */
import type { StatementSync } from "node:sqlite"
import type { AppValue } from "../app-table.js"
import type { BoundStatement, Rows, Tables } from "../sql/tables.js"
import type { Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

export const rowsBy = (prepare: Statements["prepare"]): ((sql: string, values: ReadonlyArray<AppValue>) => Rows) => {
  const prepared = new Map<string, StatementSync>()
  return (sql, values) => {
    const statement = prepared.get(sql) ?? prepare(sql)
    prepared.set(sql, statement)
    // Safe: statements that are prepared this way return rows as arrays.
    return statement.all(...values) as unknown as Rows
  }
}

export const tableWrites = ({ prepare, allOrNothing }: Statements) => {
  const rowsOf = rowsBy(prepare)
  return {
    writeOne: rowsOf,

    writeAll: (first: BoundStatement, ...others: ReadonlyArray<BoundStatement>): Rows =>
      allOrNothing(() => {
        const rows = rowsOf(...first)
        if (rows.length > 0) for (const other of others) rowsOf(...other)
        return rows
      }),
  }
}

export const sqliteTables = ({ prepare, run, writes }: Database<ReturnType<typeof tableWrites>>): Tables => {
  const rowsOf = rowsBy(prepare)
  return {
    dialect: "sqlite",
    read: (sql, values = []) => run(() => rowsOf(sql, values)),
    write: writes.writeOne,
    writeAll: writes.writeAll,
  }
}
