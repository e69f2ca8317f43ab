/** Bounds the requests of each API key (specification, section 14), by a window of one minute. */
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible"
import { httpError } from "../error-response.js"
import type { Step, StepResult } from "./step.js"

/** Length of the window, in s. */
export const rateWindowSeconds = 60

/** Where requests are counted: in this process, or in one that several share. */
export type RateLimiter = Pick<RateLimiterAbstract, "points" | "consume">

/** Counts a request of a key. */
export const consume = async (limiter: RateLimiter, keyId: string): Promise<{ isAllowed: boolean; state: RateLimiterRes }> => {
  try {
    return { isAllowed: true, state: await limiter.consume(keyId) }
  } catch (thrown) {
    // The library throws the state of a key that is over the limit, and errors of its own as errors.
    if (thrown instanceof RateLimiterRes) return { isAllowed: false, state: thrown }
    throw thrown
  }
}

/**
 * Says how much is left on every answer to a known caller (draft-ietf-httpapi-ratelimit-headers §3 and §4),
 * and refuses with 429 over the limit. Without a limit it is left out.
 */
export const limitRate = (limiter: RateLimiter | undefined): ReadonlyArray<Step> => {
  if (limiter === undefined) return []
  return [
    async (exchange): Promise<StepResult> => {
      if (exchange.apiKey === undefined) return "pass"
      const { isAllowed, state } = await consume(limiter, exchange.apiKey.id)
      const resetSeconds = Math.ceil(state.msBeforeNext / 1000)
      exchange.addHeaders([
        "RateLimit-Policy",
        `"key";q=${limiter.points};w=${rateWindowSeconds}`,
        "RateLimit",
        `"key";r=${state.remainingPoints};t=${resetSeconds}`,
      ])
      if (isAllowed) return "pass"
      const message = `The API key may send ${limiter.points} requests a minute. Try again in ${resetSeconds} s.`
      throw httpError("rate_limited", message, ["Retry-After", String(resetSeconds)])
    },
  ]
}
