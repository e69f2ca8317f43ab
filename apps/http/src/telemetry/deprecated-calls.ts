/** Counts calls of deprecated operations in memory and adds them to the store now and then: a call is never slowed down by being counted. */
import { type ApiKey, DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import { Effect, Schedule, type Scope } from "effect"

/** How often counts go to the store. A crash loses no more than this. */
const interval = "5 seconds"

/** Counts one call of an operation. */
export type CountDeprecatedCall = (operation: string, apiKey: ApiKey) => void

/** A counter that writes to the store for as long as the scope lasts, and once more at its end. */
export const deprecatedCallCounter: Effect.Effect<CountDeprecatedCall, never, DeprecatedCallRepository | Scope.Scope> =
  Effect.gen(function* () {
    const repository = yield* DeprecatedCallRepository
    let counted = new Map<string, DeprecatedCalls>()

    const count = (operation: string, keyId: DeprecatedCalls["keyId"], calls: number, lastCalledAt: Date): void => {
      const name = `${operation} ${keyId}`
      counted.set(name, { keyId, operation, calls: (counted.get(name)?.calls ?? 0) + calls, lastCalledAt })
    }

    const flush = Effect.suspend(() => {
      if (counted.size === 0) return Effect.void
      const batch = [...counted.values()]
      counted = new Map()
      // A store that is away gets them the next time.
      return Effect.catchAll(repository.record(batch), () =>
        Effect.sync(() => {
          for (const { operation, keyId, calls, lastCalledAt } of batch) count(operation, keyId, calls, lastCalledAt)
        }),
      )
    })

    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced(interval)))
    return (operation, { id }) => count(operation, id, 1, new Date())
  })
