/** Runs writes in SQLite: many in one transaction, each of which may fail alone. On the main thread or on the writer thread. */
import type { DatabaseSync } from "node:sqlite"
import { type Fault, faultOf } from "./errors.js"
import type { Name } from "./one-name.js"
import { prepareExact } from "./prepare-exact.js"
import { rollBack } from "./roll-back.js"

/**
 * The writes of a store by their names, with plain values as arguments and results, because a write may run on another thread.
 */
export type WriteTable = Readonly<Record<string, (...args: ReadonlyArray<never>) => unknown>>

export interface WriteCall {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** The outcome of one write. */
export type Outcome = { readonly value: unknown } | { readonly fault: Fault }

/**
 * The outcome of a transaction: that of each write, or why it failed, and how long the disk took, in ms. A write of many rows has
 * no such time: its many pages take long on any disk.
 */
export type Commit =
  | { readonly outcomes: ReadonlyArray<Outcome>; readonly diskMillis: number | undefined }
  | { readonly fault: Fault }

/** Whether a write takes a list of rows. */
const isLarge = ({ args }: WriteCall): boolean => args.some(Array.isArray)

/** Writes one batch at a time, on this thread or on another. */
export type CommitBatch = (batch: ReadonlyArray<WriteCall>) => Commit | Promise<Commit>

/**
 * Returns the function that writes a batch in one transaction, which is on disk when it returns, in a file that still has its
 * name. `onDisk` runs right before the commit.
 */
export const transactionOn = (
  connection: DatabaseSync,
  writes: WriteTable,
  name: Name,
): ((batch: ReadonlyArray<WriteCall>, onDisk?: () => void) => Commit) => {
  // Exact, although they return no rows: each also returns the last identifier, which may be past 2^53.
  const begin = prepareExact(connection, "BEGIN IMMEDIATE")
  const commit = prepareExact(connection, "COMMIT")

  const outcomeOf = ({ name, args }: WriteCall): Outcome => {
    try {
      // Safe: only `writesThrough` creates calls, with the arguments of the write of their name.
      return { value: (writes[name] as (...all: ReadonlyArray<unknown>) => unknown)(...args) }
    } catch (thrown) {
      // An error concerns only its write, unless SQLite has rolled back the transaction.
      if (!connection.isTransaction) throw thrown
      return { fault: faultOf(thrown) }
    }
  }

  return (batch, onDisk) => {
    try {
      // A transaction that an earlier failure left open must not be committed with this batch.
      rollBack(connection)
      begin.run()
      const outcomes = batch.map(outcomeOf)
      onDisk?.()
      const startedAt = performance.now()
      commit.run()
      const diskMillis = batch.some(isLarge) ? undefined : performance.now() - startedAt
      const lost = name.look()
      return lost === undefined ? { outcomes, diskMillis } : { fault: lost }
    } catch (thrown) {
      // A full or failing disk fails the whole transaction.
      rollBack(connection)
      // Another file under the name of the store looks like a disk that fails.
      return { fault: name.look() ?? faultOf(thrown) }
    }
  }
}

/** Runs several statements as one: a failure undoes them, and leaves the other writes of the transaction alone. */
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
      // Half of the work must not be committed with other writes of the transaction.
      rollBack(connection)
    }
    throw thrown
  }
}
