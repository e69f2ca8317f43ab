import * as Effect from "effect/Effect"
import { IdempotencyKeyReused } from "../errors.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import { expect } from "./expect.js"
import { timestamp } from "./orders.js"
import { byId } from "./pets.js"
import { atOnce, type DeclarePromise, refuses } from "./promise.js"

export const day = 24 * 60 * 60 * 1000

/** A claim that is made `millis` ms after `timestamp(0)`, and expires a day later. */
export const claimAt = (millis: number, rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  accountId: "acc_owner",
  operation: "createPet",
  key: "a-1",
  fingerprint: "0".repeat(64),
  claimedAt: timestamp(millis),
  expiresAt: timestamp(millis + day),
  ...rest,
})

export const newClaim = (rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => claimAt(0, rest)

export const otherBody = { fingerprint: "1".repeat(64) }

interface Subject<R, Given, A> {
  readonly operation: string
  /** Prepares the content of a request. Each index has its own content. */
  readonly given: (index: number) => Effect.Effect<Given, unknown, R>
  readonly insertOnce: (given: Given, claim: IdempotencyClaim) => Effect.Effect<MadeOnce<A>, unknown, R>
  readonly expected: (id: bigint, given: Given, createdAt: Date) => A
  readonly listed: () => Effect.Effect<ReadonlyArray<A>, unknown, R>
}

export const promisesOfInsertOnce = <R, Port, Given, A extends { readonly id: bigint }>(
  promise: DeclarePromise<R, Port>,
  { operation, given, insertOnce, expected, listed }: Subject<R, Given, A>,
): void => {
  const claim = (millis: number, rest: Partial<IdempotencyClaim> = {}) => claimAt(millis, { operation, ...rest })
  const once = (one: Given, of: IdempotencyClaim) => Effect.map(insertOnce(one, of), ({ value }) => value)

  promise("stores one item for each key, and returns it for a repeated request", function* () {
    const made: Array<A> = []
    for (const [index, key] of ["a-1", "a-2"].entries()) {
      const one = yield* given(index)
      const { value, isNew } = yield* insertOnce(one, claim(0, { key }))
      expect([value, isNew]).toStrictEqual([expected(value.id, one, timestamp(0)), true])
      expect(yield* insertOnce(one, claim(1, { key }))).toStrictEqual({ value, isNew: false })
      made.push(value)
    }
    expect(yield* listed()).toStrictEqual(made.toSorted(byId))
  })

  promise("refuses the same key with a different body, stores nothing, and still accepts the first body", function* () {
    const [one, other] = [yield* given(0), yield* given(1)]
    const first = yield* once(one, claim(0))
    yield* refuses(once(other, claim(1, otherBody)), new IdempotencyKeyReused({ key: "a-1" }))
    expect(yield* once(one, claim(2))).toStrictEqual(first)
    expect(yield* listed()).toStrictEqual([first])
    expect((yield* insertOnce(other, claim(3, { key: "a-2" }))).isNew).toBe(true)
  })

  promise("treats two requests as the same only if account, operation and key match exactly", function* () {
    const differences = [
      {},
      { key: "A-1" },
      { key: "a-1\\" },
      { key: "~".repeat(255) },
      { accountId: "acc_other" },
      { operation: operation.slice(0, -1), key: `${operation.slice(-1)}a-1` },
      { operation: operation.replace("c", "C") },
    ]
    const requests = yield* Effect.forEach(differences, (rest, index) => Effect.map(given(index), (one) => [one, rest] as const))
    const made = yield* Effect.forEach(requests, ([one, rest]) => once(one, claim(0, rest)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(differences.length)
    expect(yield* Effect.forEach(requests, ([one, rest]) => once(one, claim(1, rest)))).toStrictEqual(made)
    expect(yield* listed()).toStrictEqual(made.toSorted(byId))
  })

  promise("accepts a key for a new request only after the old request has expired", function* () {
    const [one, other] = [yield* given(0), yield* given(1)]
    const first = yield* once(one, claim(0))
    expect(yield* once(one, claim(day - 1))).toStrictEqual(first)
    const second = yield* once(other, claim(day, otherBody))
    expect(second).toStrictEqual(expected(second.id, other, timestamp(day)))
    expect(yield* once(other, claim(2 * day - 1, otherBody))).toStrictEqual(second)
    expect(second.id).not.toBe(first.id)
    expect(yield* listed()).toStrictEqual([first, second].toSorted(byId))
  })

  promise("stores one item for fifty concurrent requests, and marks exactly one result as new", function* () {
    const one = yield* given(0)
    const results = yield* atOnce(Array(50).keys(), () => insertOnce(one, claim(0)))
    const [made, ...others] = yield* listed()
    expect(others).toStrictEqual([])
    for (const { value } of results) expect(value).toStrictEqual(made)
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1)
  })
}
