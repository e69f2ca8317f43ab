import type { DatabaseSync, StatementSync } from "node:sqlite"

/** Prepares a statement whose rows are arrays with exact integers, so that nothing is rounded and no row objects are built. */
export const prepareExact = (connection: DatabaseSync, sql: string): StatementSync => {
  const statement = connection.prepare(sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return statement
}
