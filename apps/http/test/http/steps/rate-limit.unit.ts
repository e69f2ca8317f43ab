/** The counts of the rate limit (specification, section 14), when the wall clock is set and as time passes. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { limitRate, type RateLimiter, rateLimiterHere } from "../../../src/http/steps/rate-limit.js"
import { exchangeOf, through } from "../exchange-of.js"

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }))
afterEach(() => void vi.useRealTimers())

const count = async (limiter: RateLimiter, keyId: string) => Object.values(await limiter.count(keyId))

it.each([-7_200_000, 7_200_000])("a wall clock that moves by %i ms changes neither the count nor the wait", async (byMillis) => {
  const limiter = rateLimiterHere(2)
  expect(await count(limiter, "a")).toEqual([1, 1, 60_000])
  vi.advanceTimersByTime(1_000)
  vi.setSystemTime(Date.now() + byMillis)
  expect(await count(limiter, "a")).toEqual([2, 0, 59_000])
  expect(await count(limiter, "a")).toEqual([3, 0, 59_000])
  vi.advanceTimersByTime(59_000)
  expect(await count(limiter, "a")).toEqual([1, 1, 60_000])
})

it("each key has its own count", async () => {
  const limiter = rateLimiterHere(1)
  expect(await count(limiter, "a")).toEqual([1, 0, 60_000])
  vi.advanceTimersByTime(30_000)
  expect(await count(limiter, "b")).toEqual([1, 0, 60_000])
  vi.advanceTimersByTime(30_000)
  expect(await count(limiter, "a")).toEqual([1, 0, 60_000])
  expect(await count(limiter, "b")).toEqual([2, 0, 30_000])
})

it("a counter whose wall clock was set back does not make a client wait for more than a window", async () => {
  const limiter: RateLimiter = {
    points: 2,
    count: async () => ({ consumedPoints: 3, remainingPoints: 0, msBeforeNext: 7_260_000 }),
  }
  const { exchange } = exchangeOf()
  const { result } = through(limitRate(limiter), Object.assign(exchange, { apiKey: { id: "a" } }))
  await expect(result).rejects.toMatchObject({ headers: ["Retry-After", "60"] })
})
