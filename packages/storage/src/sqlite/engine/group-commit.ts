/**
 * Group commit: writes that arrive in one turn of the event loop share one
 * transaction, and are answered after it is on disk. An fsync costs far more than a
 * row, so a busy store keeps many for the price of one, and a lone write waits for nobody.
 * What arrives while another thread commits is handed to it at once, and shares its next transaction.
 */
import type { StorageUnavailable } from "@petstore/core"
import { Effect, Exit, type Scope } from "effect"
import { failWith, faultOf } from "./errors.js"
import type { Commit, CommitBatch, Outcome, WriteCall, WriteTable } from "./transaction.js"

/** Most writes of one transaction: bounds how long the event loop stands still. */
const batchMaximum = 512

/** Most writes that may wait; more are refused at once, so that a store that is stuck does not fill the memory. */
export const waitingMaximum = 20_000

/** How long a write waits for a lock that another process holds, in ms. */
const patienceMillis = 2_000

/** How long to wait before the lock is tried again, in ms. The event loop runs on meanwhile: reads are answered. */
const retryMillis = 5

interface Waiting {
  readonly call: WriteCall
  readonly arrivedAtMillis: number
  readonly answer: Answer
}

/** Hears once what came of a write. */
export type Answer = (outcome: Outcome) => void

/** The writes of a table as effects. Each is on disk when it succeeds. */
export type Writes<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...args: infer Args) => infer A
    ? (...args: Args) => Effect.Effect<A, StorageUnavailable>
    : never
}

/** Takes a write, and answers it when it is on disk or has failed. */
export type Submit = (call: WriteCall, answer: Answer) => void

/** The one door for the writes of a process. */
export interface Door {
  readonly submit: Submit
}

/** Makes the writes of a table through a door, in the file at `path`. */
export const writesThrough = <Table extends WriteTable>(submit: Submit, table: Table, path?: string): Writes<Table> => {
  const writeOf =
    (name: string) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.async<unknown, StorageUnavailable>((resume) =>
        submit({ name, args }, (outcome) =>
          resume("fault" in outcome ? failWith(outcome.fault, path) : Exit.succeed(outcome.value)),
        ),
      )
  // Safe: the outcome of a call is what the write of its name returns.
  return Object.fromEntries(Object.keys(table).map((name) => [name, writeOf(name)])) as Writes<Table>
}

/**
 * Opens the door for as long as the scope lasts: at its end no more writes come
 * in, and those that came are answered. `commit` writes one batch at a time, on this thread or on another.
 */
export const groupCommit = (commit: CommitBatch): Effect.Effect<Door, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => doorTo(commit)),
    ({ close }) => Effect.promise(close),
  )

const doorTo = (commit: CommitBatch) => {
  let waiting: Array<Waiting> = []
  /** How many writes have been handed over and not been answered. */
  let underWay = 0
  let isScheduled = false
  let whenIdle: (() => void) | undefined
  let isClosed = false

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(flush)
  }

  const flush = (): void => {
    isScheduled = false
    const batch = waiting.slice(0, batchMaximum)
    waiting = waiting.slice(batchMaximum)
    underWay += batch.length
    const result = attempt(batch)
    if (result instanceof Promise) result.then((late) => settle(batch, late))
    else settle(batch, result)
    schedule()
  }

  /** Nobody stands behind a turn of the event loop: what escaped from here would end the process. */
  const attempt = (batch: ReadonlyArray<Waiting>): Commit | Promise<Commit> => {
    const failed = (thrown: unknown): Commit => ({ fault: faultOf(thrown) })
    try {
      const result = commit(batch.map(({ call }) => call))
      return result instanceof Promise ? result.catch(failed) : result
    } catch (thrown) {
      return failed(thrown)
    }
  }

  const settle = (batch: ReadonlyArray<Waiting>, result: Commit): void => {
    underWay -= batch.length
    if ("fault" in result && result.fault.kind === "busy") retry(batch, result)
    else {
      for (const [index, { answer }] of batch.entries()) {
        answer("fault" in result ? result : (result.outcomes[index] ?? withoutOutcome))
      }
    }
    if (waiting.length === 0 && underWay === 0) whenIdle?.()
  }

  const retry = (batch: ReadonlyArray<Waiting>, result: Outcome): void => {
    const tooLate = performance.now() - patienceMillis
    waiting = [...batch.filter(({ arrivedAtMillis }) => arrivedAtMillis > tooLate), ...waiting]
    for (const { answer } of batch.filter(({ arrivedAtMillis }) => arrivedAtMillis <= tooLate)) answer(result)
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setTimeout(flush, retryMillis)
  }

  const close = async (): Promise<void> => {
    isClosed = true
    if (waiting.length === 0 && underWay === 0) return
    await new Promise<void>((resolve) => {
      whenIdle = resolve
    })
  }

  const submit: Submit = (call, answer) => {
    if (isClosed || waiting.length + underWay >= waitingMaximum) {
      const reason = isClosed ? "The store is closed." : `${waitingMaximum} writes are waiting already.`
      answer({ fault: { kind: "away", cause: new Error(reason) } })
      return
    }
    waiting.push({ call, arrivedAtMillis: performance.now(), answer })
    schedule()
  }

  return { submit, close }
}

const withoutOutcome: Outcome = { fault: { kind: "defect", cause: new Error("a write without an outcome") } }
