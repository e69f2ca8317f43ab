/**
 * Makes proofs of writability fail after a request's write has failed. A proof needs a single page, which can still fit where a
 * new pet does not: under a quota or a file size limit.
 */
import type { Fault } from "./errors.js"
import type { Commit, CommitBatch, WriteCall } from "./transaction.js"

/** How long proofs fail after a transaction failed, in ms. Three proofs take longer, so one failure leaves the store ready. */
const refusedMillis = 6_000

export const provenByWrites = (commit: CommitBatch): CommitBatch => {
  let refused: { readonly fault: Fault; readonly untilMillis: number } | undefined

  const judge = (batch: ReadonlyArray<WriteCall>, result: Commit): Commit => {
    if ("fault" in result) {
      if (result.fault.kind === "unavailable" && !batch.every((call) => call.isProof === true)) {
        refused = { fault: result.fault, untilMillis: performance.now() + refusedMillis }
      }
      return result
    }
    if (refused === undefined || performance.now() >= refused.untilMillis) return result
    const { fault } = refused
    const outcomes = result.outcomes.map((outcome, place) => (batch[place]?.isProof === true ? { fault } : outcome))
    return { ...result, outcomes }
  }

  return (batch) => {
    const result = commit(batch)
    return result instanceof Promise ? result.then((late) => judge(batch, late)) : judge(batch, result)
  }
}
