import { DeprecatedCallRepository, type DeprecatedCalls } from "../credentials/deprecated-call-repository.js"
import { atOnce, contractSuite } from "./promise.js"
import { expect } from "./runner.js"

const newCalls = (key: string, calls: number, lastCalledAt: string, operation = "getPet"): DeprecatedCalls => ({
  keyId: `key_${key}`,
  operation,
  calls,
  lastCalledAt: new Date(lastCalledAt),
})

/** Declares the contract suite for `DeprecatedCallRepository`. */
export const deprecatedCallRepositoryContract = contractSuite(DeprecatedCallRepository, (promise) => {
  promise("lists nothing in a new store or after recording an empty list", function* (repository) {
    expect(yield* repository.list).toStrictEqual([])
    yield* repository.record([])
    expect(yield* repository.list).toStrictEqual([])
  })

  promise("keeps calls exactly as given, and lists the most recent first", function* (repository) {
    const [second, third, first] = [
      newCalls("a", 1, "2026-01-02T03:04:05.002Z"),
      newCalls("b", 9_007_199_254_740_991, "2026-01-02T03:04:05.001Z"),
      newCalls("c", 3, "2026-01-02T03:04:05.003Z"),
    ]
    yield* repository.record([second, third])
    yield* repository.record([first])
    expect(yield* repository.list).toStrictEqual([first, second, third])
  })

  promise("adds up the calls for one key and operation, and keeps the latest timestamp", function* (repository) {
    yield* repository.record([newCalls("a", 2, "2026-01-02T00:00:00.000Z")])
    yield* repository.record([newCalls("a", 3, "2026-01-03T00:00:00.000Z")])
    yield* repository.record([newCalls("a", 5, "2026-01-01T00:00:00.000Z")])
    expect(yield* repository.list).toStrictEqual([newCalls("a", 10, "2026-01-03T00:00:00.000Z")])
  })

  promise("adds up calls that are recorded together", function* (repository) {
    yield* repository.record([newCalls("a", 2, "2026-01-02T00:00:00.000Z"), newCalls("a", 3, "2026-01-01T00:00:00.000Z")])
    expect(yield* repository.list).toStrictEqual([newCalls("a", 5, "2026-01-02T00:00:00.000Z")])
  })

  promise("counts each key and operation separately", function* (repository) {
    const given = [
      newCalls("a", 1, "2026-01-04T00:00:00.000Z"),
      newCalls("A", 2, "2026-01-03T00:00:00.000Z"),
      newCalls("a", 3, "2026-01-02T00:00:00.000Z", "getOrder"),
      newCalls("age", 4, "2026-01-01T00:00:00.000Z", "tPet"),
    ]
    yield* repository.record(given)
    expect(yield* repository.list).toStrictEqual(given)
  })

  promise("loses none of a hundred calls that are recorded concurrently", function* (repository) {
    const one = newCalls("a", 1, "2026-01-02T00:00:00.000Z")
    yield* atOnce(Array(100).keys(), () => repository.record([one]))
    expect(yield* repository.list).toStrictEqual([{ ...one, calls: 100 }])
  })
})
