/** Removes old changes in small portions, so that no request waits long for a removal. */
import { ChangeRepository } from "@petstore/core"
import { Effect } from "effect"

const dayMillis = 86_400_000

/** The largest number of changes in a portion, and how long a portion may take, in ms: one that takes longer halves the next. */
const portionMaximum = 200
const portionMillis = 5

/** A portion has at least this number of changes, however busy the store is. */
const portionMinimum = 25

/** The pause after a portion and between two looks, in ms. */
const pauseMillis = 20
const lookMillis = 60_000

/** For as long as the scope is open. A failure, such as a full disk, is tried again at the next look. */
export const removeOldChanges = (historyDays: number) =>
  Effect.flatMap(ChangeRepository, ({ removeBefore }) => {
    if (historyDays === 0) return Effect.void
    let portion = portionMinimum
    /** Returns whether there may be more. */
    const removeSome = Effect.gen(function* () {
      const [asked, startedAt] = [portion, performance.now()]
      const removed = yield* removeBefore(new Date(Date.now() - historyDays * dayMillis), asked)
      const isQuick = performance.now() - startedAt < portionMillis
      portion = isQuick ? Math.min(portionMaximum, asked * 2) : Math.max(portionMinimum, asked / 2)
      return removed === asked
    })
    const removeAll = Effect.repeat(Effect.zipLeft(removeSome, Effect.sleep(pauseMillis)), { while: (isMore) => isMore })
    return Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(removeAll), Effect.sleep(lookMillis))))
  })
