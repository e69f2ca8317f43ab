/** Transactions outside `transaction.ts`, the rollback of failed transactions, and connections for single tasks. */
import type { DatabaseSync } from "node:sqlite"

/**
 * Rolls back an open transaction. Never throws: if a failing disk also prevents the rollback, the first failure is the one to
 * report.
 */
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
