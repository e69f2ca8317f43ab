/**
 * Group commit: writes that arrive in one turn of the event loop share one
 * transaction, and are answered after it is on disk. An fsync costs far more than a
 * row, so a busy store keeps many for the price of one, and a lone write waits for nobody.
 */
import type { DatabaseSync } from "node:sqlite"
import { StorageUnavailable } from "@petstore/core"
import { Effect, Exit } from "effect"
import { isBusy, toFailure } from "./errors.js"

/** Most writes of one transaction: bounds how long the event loop stands still. */
const batchMaximum = 512

/** Most writes that may wait; more are refused at once, so that a store that is stuck does not fill the memory. */
const waitingMaximum = 20_000

/** How long a write waits for a lock that another process holds, in ms. */
const patienceMillis = 2_000

/** How long to wait before the lock is tried again, in ms. The event loop runs on meanwhile: reads are answered. */
const retryMillis = 5

interface Waiting {
  readonly work: () => unknown
  readonly arrivedAtMillis: number
  readonly answer: (exit: Exit.Exit<unknown, StorageUnavailable>) => void
}

export type Write = <A>(work: () => A) => Effect.Effect<A, StorageUnavailable>

/**
 * Makes the one door for writes of a connection. `work` runs inside of a
 * transaction with others; it is synchronous, and what it throws fails it alone.
 * It is one statement, or it is wrapped in {@link allOrNothing}.
 */
export const groupCommit = (connection: DatabaseSync): Write => {
  const begin = connection.prepare("BEGIN IMMEDIATE")
  const commit = connection.prepare("COMMIT")
  let waiting: Array<Waiting> = []
  let scheduled = false

  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(flush)
  }

  const flush = (): void => {
    scheduled = false
    try {
      begin.run()
    } catch (thrown) {
      if (isBusy(thrown)) waitForLock(thrown)
      else answerAll(takeBatch(), toFailure(thrown))
      return
    }
    const batch = takeBatch()
    let exits: ReadonlyArray<Exit.Exit<unknown, StorageUnavailable>>
    try {
      exits = batch.map(({ work }) => attempt(work))
      commit.run()
    } catch (thrown) {
      // A disk that is full or failing takes the whole transaction with it.
      if (connection.isTransaction) connection.exec("ROLLBACK")
      answerAll(batch, toFailure(thrown))
      return
    }
    for (const [index, { answer }] of batch.entries()) answer(exits[index] ?? Exit.die("a write without a result"))
    schedule()
  }

  const takeBatch = (): ReadonlyArray<Waiting> => {
    const batch = waiting.slice(0, batchMaximum)
    waiting = waiting.slice(batchMaximum)
    return batch
  }

  /** Runs one write. What it throws is its own, unless SQLite has given up the transaction. */
  const attempt = (work: () => unknown): Exit.Exit<unknown, StorageUnavailable> => {
    try {
      return Exit.succeed(work())
    } catch (thrown) {
      if (!connection.isTransaction) throw thrown
      return Effect.runSyncExit(toFailure(thrown))
    }
  }

  const answerAll = (batch: ReadonlyArray<Waiting>, failure: Effect.Effect<never, StorageUnavailable>): void => {
    const exit = Effect.runSyncExit(failure)
    for (const { answer } of batch) answer(exit)
    schedule()
  }

  const waitForLock = (thrown: unknown): void => {
    const tooLate = performance.now() - patienceMillis
    const expired = waiting.filter(({ arrivedAtMillis }) => arrivedAtMillis <= tooLate)
    waiting = waiting.filter(({ arrivedAtMillis }) => arrivedAtMillis > tooLate)
    for (const { answer } of expired) answer(Exit.fail(new StorageUnavailable({ cause: thrown })))
    if (waiting.length === 0) return
    scheduled = true
    setTimeout(flush, retryMillis)
  }

  return <A>(work: () => A) =>
    Effect.async<A, StorageUnavailable>((resume) => {
      if (waiting.length >= waitingMaximum) {
        resume(new StorageUnavailable({ cause: new Error(`${waitingMaximum} writes are waiting already`) }))
        return
      }
      // Safe: `answer` gets the exit of this `work`, which answers an A.
      const answer = (exit: Exit.Exit<unknown, StorageUnavailable>) => resume(exit as Exit.Exit<A, StorageUnavailable>)
      waiting.push({ work, arrivedAtMillis: performance.now(), answer })
      schedule()
    })
}

/** Makes work of several statements undo itself when one of them fails, and leave the writes that share its transaction alone. */
export const allOrNothing =
  <A>(connection: DatabaseSync, work: () => A): (() => A) =>
  () => {
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
