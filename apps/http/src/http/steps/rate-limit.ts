/** Limits each API key's requests per one-minute window (specification, section 14). */
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible"
import { httpError } from "../error-response.js"
import type { Step } from "../service-koa.js"

export const rateWindowSeconds = 60

/** Counts requests, either in this process or, for several processes, in the primary. */
export type RateLimiter = Pick<RateLimiterAbstract, "points" | "consume">

/**
 * Counts in this process, by the monotonic clock: the library's own counter would end its windows by the wall clock. One window
 * lasts as long as another, so the oldest ones end first.
 */
export const rateLimiterHere = (points: number): RateLimiter => {
  const windows = new Map<string, { count: number; readonly endMillis: number }>()
  return {
    points,
    consume: async (key) => {
      const now = performance.now()
      for (const [ended, { endMillis }] of windows) {
        if (endMillis > now) break
        windows.delete(ended)
      }
      const keyId = String(key)
      const window = windows.get(keyId) ?? { count: 0, endMillis: now + rateWindowSeconds * 1000 }
      windows.set(keyId, window)
      window.count += 1
      const remaining = Math.max(0, points - window.count)
      const state = new RateLimiterRes(remaining, window.endMillis - now, window.count, window.count === 1)
      if (window.count > points) throw state
      return state
    },
  }
}

export const consume = async (limiter: RateLimiter, keyId: string): Promise<{ isAllowed: boolean; state: RateLimiterRes }> => {
  try {
    return { isAllowed: true, state: await limiter.consume(keyId) }
  } catch (thrown) {
    // A limiter throws the state of a key that is over the limit. The library's own errors are instances of `Error`.
    if (thrown instanceof RateLimiterRes) return { isAllowed: false, state: thrown }
    throw thrown
  }
}

/** Adds the rate limit's headers (draft-ietf-httpapi-ratelimit-headers §3, §4), and refuses requests over the limit with 429. */
export const limitRate =
  (limiter: RateLimiter): Step =>
  async (exchange, next) => {
    if (exchange.apiKey === undefined) return next()
    const { isAllowed, state } = await consume(limiter, exchange.apiKey.id)
    // The counter of several processes uses the wall clock. After the clock was set back, it would report hours.
    const resetSeconds = Math.min(rateWindowSeconds, Math.ceil(state.msBeforeNext / 1000))
    exchange.addHeaders([
      "RateLimit-Policy",
      `"key";q=${limiter.points};w=${rateWindowSeconds}`,
      "RateLimit",
      `"key";r=${state.remainingPoints};t=${resetSeconds}`,
    ])
    if (isAllowed) return next()
    const message = `The API key may send ${limiter.points} requests a minute. Try again in ${resetSeconds} s.`
    throw httpError("rate_limited", message, ["Retry-After", String(resetSeconds)])
  }
