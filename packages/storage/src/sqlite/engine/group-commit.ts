/**
 * Group commit: writes of one tick share one transaction, because an fsync takes far longer than inserting a row. While commits
 * are slow, a separate thread writes, so that readers do not wait. Writes that arrive while that thread commits are sent to it
 * immediately, and share its next transaction.
 */
import type { StorageUnavailable } from "@petstore/core"
import { Awaited } from "@petstore/core/internal"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { type Answers, again, batchQueue, gathering, type Waiting } from "../../batch-queue.js"
import { commitLatency } from "./commit-latency.js"
import { type Fault, failWith, faultOf } from "./errors.js"
import type { FileIdentity } from "./one-name.js"
import { restBetween } from "./rest.js"
import { type Commit, isLarge, type Outcome, type WriteCall, type WriteTable } from "./transaction.js"
import { askAgainMillis, preparedMillis, requestMillis } from "./waiting.js"
import { startWriter } from "./writer.js"

/** The maximum number of writes in a transaction. It limits how long the event loop is blocked. */
const batchMaximum = 512

/** The maximum number of pending writes. Further writes are refused immediately. */
const waitingMaximum = 20_000

/** When to write on a separate thread: never, always, or while the disk is slow. A message takes longer than a fast commit. */
export type WriterThread = "never" | "always" | "when-slow"

export interface GroupCommitOptions {
  readonly writerThread: WriterThread
  readonly threadFile: URL
  readonly onGroupCommit: ((writes: number) => void) | undefined
}

interface Queue extends GroupCommitOptions {
  readonly path: string
  /** Called with each failed write's fault. Returns the fault to report. */
  readonly onFault: (fault: Fault) => Fault
}

/** A table's writes as effects. When an effect succeeds, its write is on disk. */
export type Writes<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...args: infer Args) => infer A
    ? (...args: Args) => Effect.Effect<A, StorageUnavailable>
    : never
}

export interface GroupCommit<Table> {
  readonly writes: Writes<Table>
  /**
   * Writes once to check that writes succeed, and returns whether it wrote. A lock that is taken is not a failure, because a write
   * would wait for it.
   */
  readonly prove: (call: WriteCall) => Effect.Effect<boolean, StorageUnavailable>
}

/**
 * Groups writes until the scope closes. Then, further writes are refused and pending writes are resolved.
 *
 * @param commitHere runs a transaction on this thread
 * @param identity the store's file; in-memory stores have none, and no other thread can open them
 */
export const groupCommit = <Table extends WriteTable>(
  table: Table,
  commitHere: (calls: ReadonlyArray<WriteCall>) => Commit,
  identity: FileIdentity | undefined,
  { writerThread, threadFile, onGroupCommit, path, onFault }: Queue,
): Effect.Effect<GroupCommit<Table>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const latency = commitLatency()
    const outcomesOf = judge()
    const rest = restBetween()
    let thread: ReturnType<typeof startWriter> | undefined

    const startThread = (): void => {
      if (identity === undefined || thread !== undefined) return
      try {
        thread = startWriter(threadFile, identity, observe)
      } catch {
        // The process may have no more threads. An error here would deny a commit that is on disk.
      }
    }

    const observe = (result: Commit): Commit => {
      if ("outcomes" in result) {
        if (result.diskMillis !== undefined) latency.observe(result.diskMillis)
        onGroupCommit?.(result.outcomes.length)
      }
      if (writerThread === "when-slow" && latency.isSlow()) startThread()
      return result
    }

    const commit = (calls: ReadonlyArray<WriteCall>): Commit | Promise<Commit> => {
      // A busy thread also gets this batch, because two writing threads would wait for each other.
      const isWanted = writerThread === "always" || latency.isSlow() || thread?.state() === "busy"
      if (!isWanted || thread === undefined || thread.state() === "ended") return observe(commitHere(calls))
      // The thread starts in milliseconds, whereas the next commit on this thread can take seconds.
      return thread.state() === "starting" ? thread.started.then(() => commit(calls)) : thread.commit(calls)
    }

    const queue = yield* Effect.acquireRelease(
      Effect.sync(() =>
        batchQueue<WriteCall, Outcome>({
          carryOut: (batch) => {
            const calls = batch.map(({ request }) => request)
            if (rest.isDue(calls)) return batch.map(() => again)
            const result = commit(calls)
            if (result instanceof Promise) return result.then((late) => outcomesOf(batch, late))
            rest.after(result)
            return outcomesOf(batch, result)
          },
          failed: (thrown) => ({ fault: faultOf(thrown) }),
          maximum: waitingMaximum,
          batchMaximum: () => batchMaximum,
          againMillis: askAgainMillis,
          begin: gathering(),
        }),
      ),
      ({ close }) => Effect.promise(close).pipe(Effect.zipRight(Effect.promise(async () => thread?.stop()))),
    )
    if (writerThread === "always") startThread()
    yield* Effect.promise(async () => thread?.started)

    const submit = (call: WriteCall, answer: (outcome: Outcome) => void): void => {
      if (!queue.submit(call, answer)) answer(refused(queue.isClosed()))
    }

    const writeOf =
      (name: string) =>
      (...args: ReadonlyArray<unknown>): Effect.Effect<unknown, StorageUnavailable> =>
        new Awaited((done) =>
          submit({ name, args }, (outcome) =>
            done("fault" in outcome ? failWith(onFault(outcome.fault), path) : Exit.succeed(outcome.value)),
          ),
        )

    return {
      // Safe: a call's outcome is the value that the write of the same name returns.
      writes: Object.fromEntries(Object.keys(table).map((name) => [name, writeOf(name)])) as Writes<Table>,
      prove: (call) =>
        Effect.async((resume) =>
          submit({ ...call, isProof: true }, (outcome) => {
            if (!("fault" in outcome)) return resume(Effect.succeed(true))
            if (outcome.fault.kind === "busy") return resume(Effect.succeed(false))
            const reason = `The store cannot save writes: ${outcome.fault.cause.message}. Reads still work.`
            resume(failWith({ reason, ...onFault(outcome.fault) }, path))
          }),
        ),
    }
  })

const refused = (isClosed: boolean): { readonly fault: Fault } => {
  const reason = isClosed ? "The store is closed." : `${waitingMaximum} writes are already waiting.`
  return { fault: { kind: "unavailable", cause: new Error(reason) } }
}

/** How long proofs fail after a transaction failed, in ms. Three proofs take longer, so one failure leaves the store ready. */
const refusedMillis = 6_000

/**
 * Returns the function that determines the outcomes of a transaction's writes. Proofs of writability fail after a request's write
 * has failed. A proof needs a single page, which can still fit where a new pet does not: under a quota or a file size limit.
 */
const judge = () => {
  let refusal: { readonly fault: Fault; readonly untilMillis: number } | undefined

  return (batch: ReadonlyArray<Waiting<WriteCall>>, result: Commit): Answers<Outcome> => {
    if ("outcomes" in result) {
      if (refusal === undefined || performance.now() >= refusal.untilMillis) return result.outcomes
      const { fault } = refusal
      return result.outcomes.map((outcome, place) => (batch[place]?.request.isProof === true ? { fault } : outcome))
    }
    const { fault } = result
    if (fault.kind === "unavailable" && !batch.every(({ request }) => request.isProof === true)) {
      refusal = { fault, untilMillis: performance.now() + refusedMillis }
    }
    if (fault.kind !== "busy") return batch.map(() => result)
    const now = performance.now()
    return batch.map(({ request, arrivedAtMillis }) =>
      now - arrivedAtMillis < (isLarge(request) ? preparedMillis : requestMillis) ? again : result,
    )
  }
}
