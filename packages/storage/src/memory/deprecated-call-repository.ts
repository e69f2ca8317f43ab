import { DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import * as Effect from "effect/Effect"

export const memoryDeprecatedCallRepository = () => {
  const kept = new Map<string, DeprecatedCalls>()

  const add = (more: DeprecatedCalls): void => {
    const name = JSON.stringify([more.keyId, more.operation])
    const { calls, lastCalledAt } = kept.get(name) ?? { calls: 0, lastCalledAt: more.lastCalledAt }
    const latest = lastCalledAt > more.lastCalledAt ? lastCalledAt : more.lastCalledAt
    kept.set(name, { ...more, calls: calls + more.calls, lastCalledAt: latest })
  }

  return DeprecatedCallRepository.of({
    record: (calls) => Effect.sync(() => calls.forEach(add)),
    list: Effect.sync(() => [...kept.values()].sort((one, other) => other.lastCalledAt.getTime() - one.lastCalledAt.getTime())),
  })
}
