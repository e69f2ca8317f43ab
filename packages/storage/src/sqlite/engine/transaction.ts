/** Runs writes in SQLite, on the main thread or the writer thread. Each of a transaction's many writes can fail on its own. */
import type { DatabaseSync } from "node:sqlite"
import { rollBack, statementsOn } from "./connection.js"
import { type Fault, faultOf } from "./errors.js"
import type { Name } from "./one-name.js"

/** A store's writes by name. Their arguments and results are plain values, because a write may run on another thread. */
export type WriteTable = Readonly<Record<string, (...args: ReadonlyArray<never>) => unknown>>

export interface WriteCall {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
  /** Whether the write's only purpose is to show that writes succeed. */
  readonly isProof?: true
}

export type Outcome = { readonly value: unknown } | { readonly fault: Fault }

/** The outcomes of the writes and the disk's time, in ms, or a fault. No time for many rows, which take long on any disk. */
export type Commit =
  | { readonly outcomes: ReadonlyArray<Outcome>; readonly diskMillis: number | undefined }
  | { readonly fault: Fault }

const isLarge = ({ args }: WriteCall): boolean => args.some(Array.isArray)

/** Writes one batch at a time, on this thread or on another. */
export type CommitBatch = (batch: ReadonlyArray<WriteCall>) => Commit | Promise<Commit>

/** Writes a batch in a transaction, which is then on disk in a file that has its name. `onDisk` runs right before the commit. */
export const transactionOn = (connection: DatabaseSync, writes: WriteTable, name: Name) => {
  // Reads exact integers, because `run` also returns the last identifier, which may be above 2^53.
  const { prepare } = statementsOn(connection)
  const begin = prepare("BEGIN IMMEDIATE")
  const commit = prepare("COMMIT")

  const outcomeOf = ({ name, args }: WriteCall): Outcome => {
    try {
      // Safe: only `writesThrough` creates calls, and it passes the arguments that the write of that name takes.
      return { value: (writes[name] as (...all: ReadonlyArray<unknown>) => unknown)(...args) }
    } catch (thrown) {
      // An error affects only its own write, unless SQLite has rolled back the transaction.
      if (!connection.isTransaction) throw thrown
      return { fault: faultOf(thrown) }
    }
  }

  return (batch: ReadonlyArray<WriteCall>, onDisk?: () => void): Commit => {
    try {
      // A transaction that an earlier failure left open must not be committed together with this batch.
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
      // A full or failing disk fails the entire transaction.
      rollBack(connection)
      // A different file under the store's name causes the same errors as a failing disk.
      return { fault: name.look() ?? faultOf(thrown) }
    }
  }
}
