/** Removes old changes in small portions, so that no request waits long for a removal. */
import { ChangeRepository } from "@petstore/core"
import { Effect } from "effect"

const dayMillis = 86_400_000

/** The number of changes in a portion, and the pause after it and between two looks, in ms. */
const portion = 200
const pauseMillis = 20
const lookMillis = 60_000

/** For as long as the scope is open. A failure, such as a full disk, is tried again at the next look. */
export const removeOldChanges = (historyDays: number) =>
  Effect.flatMap(ChangeRepository, ({ removeBefore }) => {
    if (historyDays === 0) return Effect.void
    const removeSome = Effect.suspend(() => removeBefore(new Date(Date.now() - historyDays * dayMillis), portion))
    const removeAll = Effect.repeat(Effect.zipLeft(removeSome, Effect.sleep(pauseMillis)), {
      until: (removed) => removed < portion,
    })
    return Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(removeAll), Effect.sleep(lookMillis))))
  })
