/** Removes old changes in small portions, so that no request waits long for a removal. */
import { ChangeRepository } from "@petstore/core"
import { Duration, Effect } from "effect"

const dayMillis = 86_400_000

/** How many changes are removed at once, and how many times longer than a removal the pause after it is. */
const portion = 50
const pauseTimes = 4

const lookMillis = 60_000

/** For as long as the scope is open. A failure, such as a full disk, is tried again at the next look. */
export const removeOldChanges = (historyDays: number) =>
  Effect.flatMap(ChangeRepository, ({ removeBefore }) => {
    if (historyDays === 0) return Effect.void
    const removeSome = Effect.suspend(() => removeBefore(new Date(Date.now() - historyDays * dayMillis), portion)).pipe(
      Effect.timed,
      Effect.flatMap(([took, removed]) => Effect.as(Effect.sleep(Duration.times(took, pauseTimes)), removed)),
    )
    const removeAll = Effect.repeat(removeSome, { while: (removed) => removed === portion })
    return Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(removeAll), Effect.sleep(lookMillis))))
  })
