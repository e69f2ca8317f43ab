/** Statements of SQLite whose integers are exact. */
import type { DatabaseSync, StatementSync } from "node:sqlite"

/** Prepares a statement whose rows are arrays with exact integers: neither rounds nor builds objects. */
export const prepareExact = (connection: DatabaseSync, sql: string): StatementSync => {
  const statement = connection.prepare(sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return statement
}
