/** Writes as SQLite makes them: many in one transaction, each of which may fail for itself. Runs on the main thread or on the writer's. */
import type { DatabaseSync } from "node:sqlite"
import { type Fault, faultOf } from "./errors.js"
import type { Name } from "./one-name.js"
import { prepareExact } from "./prepare-exact.js"
import { rollBack } from "./roll-back.js"

/** The writes of a store by their names. Plain values go in and come out: a write may be made on another thread. */
export type WriteTable = Readonly<Record<string, (...args: ReadonlyArray<never>) => unknown>>

export interface WriteCall {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** The outcome of one write. */
export type Outcome = { readonly value: unknown } | { readonly fault: Fault }

/** The outcome of a transaction: the outcome of each write, or why there was none, and how long the disk took, in ms. */
export type Commit = { readonly outcomes: ReadonlyArray<Outcome>; readonly diskMillis: number } | { readonly fault: Fault }

/** Writes one batch at a time, on this thread or on another. */
export type CommitBatch = (batch: ReadonlyArray<WriteCall>) => Commit | Promise<Commit>

/**
 * Makes the function that writes a batch in one transaction, which is on disk when it returns, in a file that still has its name. `onDisk` runs
 * right before the disk has to work.
 */
export const transactionOn = (
  connection: DatabaseSync,
  writes: WriteTable,
  name: Name,
): ((batch: ReadonlyArray<WriteCall>, onDisk?: () => void) => Commit) => {
  // Exact, although they return nothing: each also answers the last identifier, which may be past 2^53.
  const begin = prepareExact(connection, "BEGIN IMMEDIATE")
  const commit = prepareExact(connection, "COMMIT")

  const outcomeOf = ({ name, args }: WriteCall): Outcome => {
    try {
      // Safe: calls are made by `writesThrough` alone, with the arguments of the write of their name.
      return { value: (writes[name] as (...all: ReadonlyArray<unknown>) => unknown)(...args) }
    } catch (thrown) {
      // What a write throws is its own, unless SQLite has given up the transaction.
      if (!connection.isTransaction) throw thrown
      return { fault: faultOf(thrown) }
    }
  }

  return (batch, onDisk) => {
    try {
      // What an earlier failure could not end must not be committed with this batch.
      rollBack(connection)
      begin.run()
      const outcomes = batch.map(outcomeOf)
      onDisk?.()
      const startedAt = performance.now()
      commit.run()
      const diskMillis = performance.now() - startedAt
      const lost = name.look()
      return lost === undefined ? { outcomes, diskMillis } : { fault: lost }
    } catch (thrown) {
      // A disk that is full or failing takes the whole transaction with it.
      rollBack(connection)
      // Another file under the name of the store looks like a disk that fails.
      return { fault: name.look() ?? faultOf(thrown) }
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
    try {
      if (connection.isTransaction) connection.exec("ROLLBACK TO work; RELEASE work")
    } catch {
      // Half of the work must not be committed with the writes that share its transaction.
      rollBack(connection)
    }
    throw thrown
  }
}
