/**
 * Group commit: writes of one tick share one transaction, because an fsync takes far longer than inserting a row. Writes that
 * arrive while another thread commits are sent to that thread immediately, and share its next transaction.
 */
import type { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { type Answers, again, batchQueue, type Waiting } from "../../batch-queue.js"
import { type Fault, failWith, faultOf } from "./errors.js"
import type { Commit, CommitBatch, Outcome, WriteCall, WriteTable } from "./transaction.js"
import { askAgainMillis, requestMillis } from "./waiting.js"

/** The maximum number of writes in a transaction. It limits how long the event loop is blocked. */
const batchMaximum = 512

/** The maximum number of pending writes. Further writes are refused immediately. */
const waitingMaximum = 20_000

const tooManyWait = `${waitingMaximum} writes are already waiting.`

/** Submits a write. `answer` is called once, when the write is on disk or has failed. */
export type Submit = (call: WriteCall, answer: (outcome: Outcome) => void) => void

/** A table's writes as effects. When an effect succeeds, its write is on disk. */
export type Writes<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...args: infer Args) => infer A
    ? (...args: Args) => Effect.Effect<A, StorageUnavailable>
    : never
}

export const writesThrough = <Table extends WriteTable>(submit: Submit, table: Table, path?: string): Writes<Table> => {
  const writeOf =
    (name: string) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.async<unknown, StorageUnavailable>((resume) =>
        submit({ name, args }, (outcome) =>
          resume("fault" in outcome ? failWith(outcome.fault, path) : Exit.succeed(outcome.value)),
        ),
      )
  // Safe: a call's outcome is the value that the write of the same name returns.
  return Object.fromEntries(Object.keys(table).map((name) => [name, writeOf(name)])) as Writes<Table>
}

/** The outcome of a refused write. */
const unavailableFault = (reason: string): { readonly fault: Fault } => ({
  fault: { kind: "unavailable", cause: new Error(reason) },
})

/** Groups writes until the scope closes. Then, further writes are refused and pending writes are resolved. */
export const groupCommit = (commit: CommitBatch): Effect.Effect<Submit, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => queueTo(commit)),
      ({ close }) => Effect.promise(close),
    ),
    ({ submit, isClosed }) =>
      (call, answer) => {
        if (submit(call, answer)) return
        answer(unavailableFault(isClosed() ? "The store is closed." : tooManyWait))
      },
  )

const queueTo = (commit: CommitBatch) => {
  const outcomesOf = judge()
  return batchQueue<WriteCall, Outcome>({
    carryOut: (batch) => {
      const result = commit(batch.map(({ request }) => request))
      return result instanceof Promise ? result.then((late) => outcomesOf(batch, late)) : outcomesOf(batch, result)
    },
    failed: (thrown) => ({ fault: faultOf(thrown) }),
    maximum: waitingMaximum,
    batchMaximum: () => batchMaximum,
    againMillis: askAgainMillis,
  })
}

/** How long proofs fail after a transaction failed, in ms. Three proofs take longer, so one failure leaves the store ready. */
const refusedMillis = 6_000

/**
 * Returns the function that determines the outcomes of a transaction's writes. Proofs of writability fail after a request's write
 * has failed. A proof needs a single page, which can still fit where a new pet does not: under a quota or a file size limit.
 */
const judge = () => {
  let refused: { readonly fault: Fault; readonly untilMillis: number } | undefined

  return (batch: ReadonlyArray<Waiting<WriteCall>>, result: Commit): Answers<Outcome> => {
    if ("outcomes" in result) {
      if (refused === undefined || performance.now() >= refused.untilMillis) return result.outcomes
      const { fault } = refused
      return result.outcomes.map((outcome, place) => (batch[place]?.request.isProof === true ? { fault } : outcome))
    }
    const { fault } = result
    if (fault.kind === "unavailable" && !batch.every(({ request }) => request.isProof === true)) {
      refused = { fault, untilMillis: performance.now() + refusedMillis }
    }
    const tooLate = fault.kind === "busy" ? performance.now() - requestMillis : Number.POSITIVE_INFINITY
    return batch.map(({ arrivedAtMillis }) => (arrivedAtMillis > tooLate ? again : result))
  }
}
