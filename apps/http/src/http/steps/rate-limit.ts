/** Bounds the requests of each API key (specification, section 14), by a window of one minute. */
import type { Middleware } from "koa"
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible"
import { httpError } from "../error-response.js"

/** Length of the window, in s. */
export const rateWindowSeconds = 60

/** Where requests are counted: in this process, or in one that several share. */
export type RateLimiter = Pick<RateLimiterAbstract, "points" | "consume">

const consume = async (limiter: RateLimiter, keyId: string): Promise<{ allowed: boolean; state: RateLimiterRes }> => {
  try {
    return { allowed: true, state: await limiter.consume(keyId) }
  } catch (thrown) {
    // The library throws the state of a key that is over the limit, and errors of its own as errors.
    if (thrown instanceof RateLimiterRes) return { allowed: false, state: thrown }
    throw thrown
  }
}

/** Says how much is left on every answer (draft-ietf-httpapi-ratelimit-headers §3 and §4), and refuses with 429 over the limit. */
export const limitRate =
  (limiter: RateLimiter): Middleware =>
  async (ctx, next) => {
    const { allowed, state } = await consume(limiter, ctx.state["apiKey"].id)
    const resetSeconds = Math.ceil(state.msBeforeNext / 1000)
    ctx.set("RateLimit-Policy", `"key";q=${limiter.points};w=${rateWindowSeconds}`)
    ctx.set("RateLimit", `"key";r=${state.remainingPoints};t=${resetSeconds}`)
    if (!allowed) {
      const message = `The API key may send ${limiter.points} requests a minute. Try again in ${resetSeconds} s.`
      throw httpError("rate_limited", message, ["Retry-After", String(resetSeconds)])
    }
    await next()
  }
