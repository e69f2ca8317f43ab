/** Counts calls to deprecated operations in memory, and adds the counts to the store periodically, so that no call waits. */
import { type ApiKey, DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import { Effect, Schedule, type Scope } from "effect"
import { getOrInsert } from "./get-or-insert.js"

/** How often the counts are written to the store. If these writes succeed, a crash loses at most the counts of one interval. */
const interval = "5 seconds"

/** The count for each key. Counts are mutable, because every request changes one. */
type Counts = Map<DeprecatedCalls["keyId"], { calls: number; lastCalledAtMillis: number }>

export type CountDeprecatedCall = (operation: string, apiKey: ApiKey) => void

/** A counter that writes to the store while the scope is open, and once more when the scope closes. */
export const deprecatedCallCounter: Effect.Effect<CountDeprecatedCall, never, DeprecatedCallRepository | Scope.Scope> =
  Effect.gen(function* () {
    const repository = yield* DeprecatedCallRepository
    let counted = new Map<string, Counts>()

    const count = (operation: string, keyId: DeprecatedCalls["keyId"], calls: number, lastCalledAtMillis: number): void => {
      const byKey = getOrInsert(counted, operation, (): Counts => new Map())
      const known = getOrInsert(byKey, keyId, () => ({ calls: 0, lastCalledAtMillis }))
      known.calls += calls
      known.lastCalledAtMillis = lastCalledAtMillis
    }

    const flush = Effect.suspend(() => {
      const batch = [...counted].flatMap(([operation, byKey]) =>
        [...byKey].map(([keyId, { calls, lastCalledAtMillis }]) => ({
          operation,
          keyId,
          calls,
          lastCalledAt: new Date(lastCalledAtMillis),
        })),
      )
      if (batch.length === 0) return Effect.void
      counted = new Map()
      // If the store is unavailable, the counts are written the next time.
      return Effect.catchAll(repository.record(batch), () =>
        Effect.sync(() => {
          for (const { operation, keyId, calls, lastCalledAt } of batch) count(operation, keyId, calls, lastCalledAt.getTime())
        }),
      )
    })

    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced(interval)))
    return (operation, { id }) => count(operation, id, 1, Date.now())
  })
