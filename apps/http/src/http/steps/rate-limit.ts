/** Limits each API key's requests per one-minute window (specification, section 14). */
import { httpError } from "../error-response.js"
import type { Step } from "../service-koa.js"

export const rateWindowSeconds = 60

/** What a key has left in its window, after a request. */
interface Count {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetMillis: number
}

/** Counts requests, either in this process or, for several processes, in the primary. */
export interface RateLimiter {
  readonly points: number
  readonly count: (keyId: string) => Promise<Count>
}

/** Counts in this process, by the monotonic clock. One window lasts as long as another, so the oldest ones end first. */
export const rateLimiterHere = (points: number): RateLimiter => {
  const windows = new Map<string, { count: number; readonly endMillis: number }>()
  return {
    points,
    count: async (keyId) => {
      const now = performance.now()
      for (const [ended, { endMillis }] of windows) {
        if (endMillis > now) break
        windows.delete(ended)
      }
      const window = windows.get(keyId) ?? { count: 0, endMillis: now + rateWindowSeconds * 1000 }
      windows.set(keyId, window)
      window.count += 1
      const { count, endMillis } = window
      return { isAllowed: count <= points, remaining: Math.max(0, points - count), resetMillis: endMillis - now }
    },
  }
}

/** Adds the rate limit's headers (draft-ietf-httpapi-ratelimit-headers §3, §4), and refuses requests over the limit with 429. */
export const limitRate =
  (limiter: RateLimiter): Step =>
  async (exchange, next) => {
    if (exchange.apiKey === undefined) return next()
    const { isAllowed, remaining, resetMillis } = await limiter.count(exchange.apiKey.id)
    // The counter of several processes uses the wall clock. After the clock was set back, it would report hours.
    const resetSeconds = Math.min(rateWindowSeconds, Math.ceil(resetMillis / 1000))
    exchange.addHeaders([
      "RateLimit-Policy",
      `"key";q=${limiter.points};w=${rateWindowSeconds}`,
      "RateLimit",
      `"key";r=${remaining};t=${resetSeconds}`,
    ])
    if (isAllowed) return next()
    const message = `The API key may send ${limiter.points} requests a minute. Try again in ${resetSeconds} s.`
    throw httpError("rate_limited", message, ["Retry-After", String(resetSeconds)])
  }
