/** Writes as SQLite makes them: many in one transaction, each of which may fail for itself. Runs on the main thread or on the writer's. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { type Fault, faultOf } from "./errors.js"
import { sqliteWrites, type WriteName, type Writes } from "./writes.js"

/** One write: which, and with what. Plain values, so that it can cross threads. */
export interface WriteCall<Name extends WriteName = WriteName> {
  readonly name: Name
  readonly args: Parameters<Writes[Name]>
}

/** What came of one write. */
export type Outcome = { readonly value: unknown } | { readonly fault: Fault }

/** What came of a transaction: the outcome of each write, or why there was none, and how long the disk took, in ms. */
export type Commit = { readonly outcomes: ReadonlyArray<Outcome>; readonly diskMillis: number } | { readonly fault: Fault }

/** Prepares a query whose rows are arrays with exact integers: neither rounds nor builds objects. */
export const prepareExact = (connection: DatabaseSync, sql: string): StatementSync => {
  const statement = connection.prepare(sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return statement
}

/** Makes the function that writes a batch in one transaction, which is on disk when it returns. */
export const transactionOn = (connection: DatabaseSync): ((batch: ReadonlyArray<WriteCall>) => Commit) => {
  const begin = connection.prepare("BEGIN IMMEDIATE")
  const commit = connection.prepare("COMMIT")
  const writes = sqliteWrites(connection)

  const outcomeOf = ({ name, args }: WriteCall): Outcome => {
    try {
      // Safe: a `WriteCall` pairs each name with the arguments of its own write, which a union of names cannot say.
      return { value: (writes[name] as (...all: ReadonlyArray<unknown>) => unknown)(...args) }
    } catch (thrown) {
      // What a write throws is its own, unless SQLite has given up the transaction.
      if (!connection.isTransaction) throw thrown
      return { fault: faultOf(thrown) }
    }
  }

  return (batch) => {
    try {
      begin.run()
      const outcomes = batch.map(outcomeOf)
      const startedAt = performance.now()
      commit.run()
      return { outcomes, diskMillis: performance.now() - startedAt }
    } catch (thrown) {
      // A disk that is full or failing takes the whole transaction with it.
      if (connection.isTransaction) connection.exec("ROLLBACK")
      return { fault: faultOf(thrown) }
    }
  }
}

/** Makes work of several statements undo itself when one of them fails, and leave the writes that share its transaction alone. */
export const allOrNothing = <A>(connection: DatabaseSync, work: () => A): A => {
  connection.exec("SAVEPOINT work")
  try {
    const result = work()
    connection.exec("RELEASE work")
    return result
  } catch (thrown) {
    if (connection.isTransaction) connection.exec("ROLLBACK TO work; RELEASE work")
    throw thrown
  }
}
