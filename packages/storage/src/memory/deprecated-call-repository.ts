import { DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import * as Effect from "effect/Effect"

export const memoryDeprecatedCallRepository = () => {
  const kept = new Map<string, DeprecatedCalls>()

  const add = (more: DeprecatedCalls): void => {
    const name = JSON.stringify([more.keyId, more.operation])
    const known = kept.get(name)
    kept.set(
      name,
      known === undefined
        ? more
        : {
            ...known,
            calls: known.calls + more.calls,
            lastCalledAt: known.lastCalledAt > more.lastCalledAt ? known.lastCalledAt : more.lastCalledAt,
          },
    )
  }

  return DeprecatedCallRepository.of({
    record: (calls) => Effect.sync(() => calls.forEach(add)),
    list: Effect.sync(() => [...kept.values()].sort((one, other) => other.lastCalledAt.getTime() - one.lastCalledAt.getTime())),
  })
}
