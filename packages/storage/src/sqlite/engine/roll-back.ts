/** Transactions beside those of `transaction.ts`, and how one that failed is ended. */
import type { DatabaseSync } from "node:sqlite"

/**
 * Rolls back what is open, if anything is. Throws nothing: a disk that fails can fail
 * here too, and the failure to tell is the one that led here.
 */
export const rollBack = (connection: DatabaseSync): void => {
  try {
    if (connection.isTransaction) connection.exec("ROLLBACK")
  } catch {
    // The next transaction ends this one first.
  }
}

/** Does work in a transaction of its own, which is undone if the work throws. Waits for the lock first. */
export const inTransaction = <A>(connection: DatabaseSync, work: () => A): A => {
  // What an earlier failure could not end must not be committed with this.
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
