/**
 * Group commit: writes that arrive in one turn of the event loop share one
 * transaction, and are answered after it is on disk. An fsync costs far more than a
 * row, so a busy store keeps many for the price of one, and a lone write waits for nobody.
 */
import { StorageUnavailable } from "@petstore/core"
import { Effect, Exit, type Scope } from "effect"
import { failWith, faultOf } from "./errors.js"
import type { Commit, WriteCall } from "./transaction.js"
import type { WriteName, Writes } from "./writes.js"

/** Most writes of one transaction: bounds how long the event loop stands still. */
const batchMaximum = 512

/** Most writes that may wait; more are refused at once, so that a store that is stuck does not fill the memory. */
const waitingMaximum = 20_000

/** How long a write waits for a lock that another process holds, in ms. */
const patienceMillis = 2_000

/** How long to wait before the lock is tried again, in ms. The event loop runs on meanwhile: reads are answered. */
const retryMillis = 5

interface Waiting {
  readonly call: WriteCall
  readonly arrivedAtMillis: number
  readonly answer: (exit: Exit.Exit<unknown, StorageUnavailable>) => void
}

/** The one door for the writes of a store. */
export type Write = <Name extends WriteName>(
  name: Name,
  ...args: Parameters<Writes[Name]>
) => Effect.Effect<ReturnType<Writes[Name]>, StorageUnavailable>

/**
 * Opens the door for as long as the scope lasts: at its end no more writes come
 * in, and those that came are answered. `commit` writes one batch at a time, on this thread or on another;
 * `onCommit` sees how many writes each batch held.
 */
export const groupCommit = (
  commit: (batch: ReadonlyArray<WriteCall>) => Commit | Promise<Commit>,
  onCommit?: (writes: number) => void,
): Effect.Effect<Write, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => doorTo(commit, onCommit)),
      ({ close }) => Effect.promise(close),
    ),
    ({ write }) => write,
  )

const doorTo = (
  commit: (batch: ReadonlyArray<WriteCall>) => Commit | Promise<Commit>,
  onCommit: ((writes: number) => void) | undefined,
) => {
  let waiting: Array<Waiting> = []
  let isRunning = false
  let whenIdle: (() => void) | undefined
  let isClosed = false

  const schedule = (): void => {
    if (isRunning || waiting.length === 0) return
    isRunning = true
    setImmediate(flush)
  }

  const flush = (): void => {
    const batch = waiting.slice(0, batchMaximum)
    waiting = waiting.slice(batchMaximum)
    const fail = (thrown: unknown) => settle(batch, { fault: faultOf(thrown) })
    let result: Commit | Promise<Commit>
    try {
      result = commit(batch.map(({ call }) => call))
    } catch (thrown) {
      // Nobody stands behind a turn of the event loop: what escapes from here ends the process.
      fail(thrown)
      return
    }
    if (result instanceof Promise) result.then((late) => settle(batch, late), fail)
    else settle(batch, result)
  }

  const settle = (batch: ReadonlyArray<Waiting>, result: Commit): void => {
    if ("fault" in result && result.fault.kind === "busy") {
      const tooLate = performance.now() - patienceMillis
      waiting = [...batch.filter(({ arrivedAtMillis }) => arrivedAtMillis > tooLate), ...waiting]
      for (const { answer } of batch.filter(({ arrivedAtMillis }) => arrivedAtMillis <= tooLate)) answer(failWith(result.fault))
      setTimeout(resume, retryMillis)
      return
    }
    onCommit?.(batch.length)
    for (const [index, { answer }] of batch.entries()) {
      const outcome = "fault" in result ? result : result.outcomes[index]
      if (outcome === undefined) answer(Exit.die(new Error("a write without an outcome")))
      else answer("fault" in outcome ? failWith(outcome.fault) : Exit.succeed(outcome.value))
    }
    resume()
  }

  const resume = (): void => {
    isRunning = false
    schedule()
    if (!isRunning) whenIdle?.()
  }

  const close = async (): Promise<void> => {
    isClosed = true
    if (!isRunning) return
    await new Promise<void>((resolve) => {
      whenIdle = resolve
    })
  }

  const write: Write = <Name extends WriteName>(name: Name, ...args: Parameters<Writes[Name]>) =>
    Effect.async<ReturnType<Writes[Name]>, StorageUnavailable>((resumeFiber) => {
      if (isClosed || waiting.length >= waitingMaximum) {
        const reason = isClosed ? "The store is closed." : `${waitingMaximum} writes are waiting already.`
        resumeFiber(new StorageUnavailable({ cause: new Error(reason) }))
        return
      }
      // Safe: the outcome of a call is what the write of its name returns.
      const answer = (exit: Exit.Exit<unknown, StorageUnavailable>) =>
        resumeFiber(exit as Exit.Exit<ReturnType<Writes[Name]>, StorageUnavailable>)
      waiting.push({ call: { name, args }, arrivedAtMillis: performance.now(), answer })
      schedule()
    })

  return { write, close }
}
