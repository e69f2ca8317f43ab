import type { IdempotencyClaim } from "@petstore/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { type Claims, memoryIdempotency } from "../../src/memory/idempotency.js"

const hourMillis = 60 * 60 * 1000

/** The claim of a request at a given hour, valid for a day. */
const claimAt = (hour: number, key: string): IdempotencyClaim => ({
  accountId: "acc_1",
  operation: "POST /v1/pets",
  key,
  fingerprint: "same",
  claimedAt: new Date(hour * hourMillis),
  expiresAt: new Date((hour + 24) * hourMillis),
})

it("the memory adapter removes expired claims", () => {
  const claims: Claims<number> = new Map()
  const once = memoryIdempotency(claims)
  for (let hour = 0; hour < 1000; hour += 1) Effect.runSync(once(claimAt(hour, `key ${hour}`), Effect.succeed(hour)))
  expect(claims.size).toBe(24)
  expect(Effect.runSync(once(claimAt(1000, "key 999"), Effect.succeed(-1))).value).toBe(999)
})

it("the memory adapter keeps a reused expired key for as long as a new key", () => {
  const claims: Claims<number> = new Map()
  const once = memoryIdempotency(claims)
  Effect.runSync(once(claimAt(0, "again"), Effect.succeed(1)))
  Effect.runSync(once(claimAt(10, "between"), Effect.succeed(2)))
  Effect.runSync(once(claimAt(30, "again"), Effect.succeed(3)))
  Effect.runSync(once(claimAt(40, "later"), Effect.succeed(4)))
  expect([...claims.values()].map(({ made }) => made)).toStrictEqual([3, 4])
  expect(Effect.runSync(once(claimAt(41, "again"), Effect.succeed(5))).value).toBe(3)
})
