/** How repositories and writes run statements on a connection. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { rollBack } from "./roll-back.js"

/**
 * The end of a statement that limits its number of rows. Node's build of SQLite recompiles a statement with a plain `LIMIT ?` on
 * every execution.
 */
export const limited = "LIMIT ? + 0"

export type Statements = ReturnType<typeof statementsOn>

export const statementsOn = (connection: DatabaseSync) => ({
  /** Prepares a statement whose rows are arrays with exact integers, so that nothing is rounded and no row objects are built. */
  prepare: (sql: string): StatementSync => {
    const statement = connection.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    return statement
  },

  /** Runs several statements as a unit. A failure undoes all of them, and does not affect the transaction's other writes. */
  allOrNothing: <A>(work: () => A): A => {
    connection.exec("SAVEPOINT work")
    try {
      const result = work()
      connection.exec("RELEASE work")
      return result
    } catch (thrown) {
      try {
        if (connection.isTransaction) connection.exec("ROLLBACK TO work; RELEASE work")
      } catch {
        // Half-finished work must not be committed with the transaction's other writes.
        rollBack(connection)
      }
      throw thrown
    }
  },
})
