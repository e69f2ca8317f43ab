/** The end of a transaction that failed. */
import type { DatabaseSync } from "node:sqlite"

/**
 * Rolls back what is open, if anything is. Throws nothing: a disk that fails can fail
 * here too, and the failure to tell is the one that led here.
 */
export const rollBack = (connection: DatabaseSync): void => {
  try {
    if (connection.isTransaction) connection.exec("ROLLBACK")
  } catch {
    // Whoever begins the next transaction ends this one first.
  }
}
