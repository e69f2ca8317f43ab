/**
 * Repeats a small write to check whether writes succeed. A store can serve reads but refuse writes, for example on a standby, or
 * on a file system that an error made read-only.
 */
import { StorageUnavailable } from "@petstore/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const everyMillis = 5_000

/** One or two failures can be due to a restart or a failover. Three failures are detected in less than 20 s. */
const failuresInARow = 3

/**
 * Repeats a write for as long as the scope lasts. Returns an effect that fails with the reason after three consecutive failures,
 * and succeeds again after one successful write. Waiting is not a failure; `write` limits the wait.
 */
export const watchWrites = (write: Effect.Effect<unknown, StorageUnavailable>) =>
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
    yield* Effect.forkScoped(Effect.delay(Effect.repeat(look, Schedule.spaced(everyMillis)), everyMillis))
    return Effect.suspend(() => (failures < failuresInARow ? Effect.void : last))
  })
