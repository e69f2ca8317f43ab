/** Statements and transactions on a connection, and connections for single tasks. Group commit is in `transaction.ts`. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"

/** Limits a statement's rows. Node's build of SQLite recompiles a statement with a plain `LIMIT ?` on every execution. */
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

/** On node:sqlite, one statement with 16 rows takes less than half as long as 16 statements. More rows bring no further gain. */
const rowsAtOnce = [16, 4, 1]

/** Returns the function that inserts rows, whose values follow each other, with few statements. */
export const rowInserts = ({ prepare }: Pick<Statements, "prepare">, into: string, columns: ReadonlyArray<string>) => {
  const row = `(${columns.map(() => "?").join()})`
  const inserts = rowsAtOnce.map((rows) => ({
    step: rows * columns.length,
    statement: prepare(`${into} (${columns.join()}) VALUES ${Array(rows).fill(row).join()}`),
  }))
  /** Returns how many rows were inserted, and the last one's rowid. */
  return (values: ReadonlyArray<SQLInputValue>) => {
    let done = 0
    let count = 0
    let last: number | bigint | undefined
    for (const { step, statement } of inserts) {
      for (; values.length - done >= step; done += step) {
        const { changes, lastInsertRowid } = statement.run(...values.slice(done, done + step))
        count += Number(changes)
        last = lastInsertRowid
      }
    }
    return { count, last }
  }
}

/** Rolls back an open transaction. Never throws, because the first failure is the one to report, and not a failed rollback. */
export const rollBack = (connection: DatabaseSync): void => {
  try {
    if (connection.isTransaction) connection.exec("ROLLBACK")
  } catch {
    // The next transaction rolls this one back first.
  }
}

export const thenClose = <A>(connection: DatabaseSync, work: (connection: DatabaseSync) => A): A => {
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

/** Like `thenClose`, for asynchronous work. */
export const closeAfter = async <A>(connection: DatabaseSync, work: (connection: DatabaseSync) => Promise<A>): Promise<A> => {
  try {
    return await work(connection)
  } finally {
    connection.close()
  }
}

/** Runs work in its own transaction, which is rolled back if the work throws. Waits for the lock first. */
export const inTransaction = <A>(connection: DatabaseSync, work: () => A): A => {
  // A transaction that an earlier failure left open must not be committed together with this one.
  rollBack(connection)
  connection.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    connection.exec("COMMIT")
    return result
  } catch (thrown) {
    rollBack(connection)
    throw thrown
  }
}
