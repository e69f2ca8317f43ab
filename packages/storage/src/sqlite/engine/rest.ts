/**
 * Makes a program with many rows, such as an import, leave the lock to others, because SQLite's lock has no queue. If another
 * program wrote since the last transaction, the rest is longer than that transaction. Otherwise, it is short and rare.
 */
import { type Commit, isLarge, type WriteCall } from "./transaction.js"
import { gapEveryMillis, gapMillis } from "./waiting.js"

/** How much longer than its own transaction a program with many rows lets another program write. */
const restFactor = 3

export const restBetween = () => {
  let until = 0
  let rested = 0
  return {
    isDue: (calls: ReadonlyArray<WriteCall>): boolean => performance.now() < until && calls.some(isLarge),
    after: (result: Commit): void => {
      if (!("large" in result)) return
      const now = performance.now()
      if (result.large.othersWrote) until = now + restFactor * result.large.millis
      else if (now - rested >= gapEveryMillis) until = now + gapMillis
      else return
      rested = until
    },
  }
}
