/** Repeats a small write, because a store can refuse only writes: on a standby, or if an error made its file system read-only. */
import { StorageUnavailable } from "@petstore/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const everyMillis = 5_000

/** One or two failures can be due to a restart or a failover. Three failures are detected in less than 20 s. */
const failuresInARow = 3

/**
 * Repeats a write while the scope lasts. The returned effect fails with the reason from the third failure in a row to the next
 * success. Waiting is not a failure; `write` limits its own wait. At the end of the scope, `leave` takes the last sign back.
 */
export const watchWrites = (
  write: Effect.Effect<unknown, StorageUnavailable>,
  leave: Effect.Effect<unknown, StorageUnavailable>,
) =>
  Effect.gen(function* () {
    let failures = 0
    let last: Effect.Effect<void, StorageUnavailable> = Effect.void
    const look = Effect.matchCause(write, {
      onSuccess: () => {
        failures = 0
      },
      onFailure: (cause) => {
        const thrown = Cause.squash(cause)
        failures += 1
        last = thrown instanceof StorageUnavailable ? thrown : new StorageUnavailable({ cause: thrown })
      },
    })
    yield* Effect.addFinalizer(() => Effect.ignore(leave))
    const looks = Effect.delay(Effect.repeat(look, Schedule.spaced(everyMillis)), everyMillis)
    // The first write only leaves a sign of life: its failure does not count, and a mistake in it does not end the looks.
    yield* Effect.forkScoped(Effect.zipRight(Effect.exit(write), looks))
    return Effect.suspend(() => (failures < failuresInARow ? Effect.void : last))
  })
