/** Limits each API key's requests per one-minute window (specification, section 14). */
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible"
import { httpError } from "../error-response.js"
import type { Step } from "../service-koa.js"

export const rateWindowSeconds = 60

/** Counts requests, either in this process or, for several processes, in the primary. */
export type RateLimiter = Pick<RateLimiterAbstract, "points" | "consume">

export const consume = async (limiter: RateLimiter, keyId: string): Promise<{ isAllowed: boolean; state: RateLimiterRes }> => {
  try {
    return { isAllowed: true, state: await limiter.consume(keyId) }
  } catch (thrown) {
    // The library throws the state of a key that is over the limit. Its own errors are instances of `Error`.
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
    const resetSeconds = Math.ceil(state.msBeforeNext / 1000)
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
