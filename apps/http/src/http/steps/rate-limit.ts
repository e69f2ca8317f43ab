/** Limits each API key's requests per one-minute window (specification, section 14). */
import cluster from "node:cluster"
import { createRequire } from "node:module"
import { headerLines } from "@petstore/bounded-http"
import type { RateLimiterRes } from "rate-limiter-flexible"
import { httpError } from "../error-response.js"
import type { Step } from "../service-koa.js"

const rateWindowSeconds = 60

/** A key's window after a request, as `rate-limiter-flexible` tells it. */
type Count = Pick<RateLimiterRes, "consumedPoints" | "remainingPoints" | "msBeforeNext">

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
      return { consumedPoints: count, remainingPoints: Math.max(0, points - count), msBeforeNext: endMillis - now }
    },
  }
}

/** Loaded only when processes count together, because it takes 1 MiB. */
const loadLimiters = (): typeof import("rate-limiter-flexible") => createRequire(import.meta.url)("rate-limiter-flexible")

/** Makes this process count for its workers. */
export const countForWorkers = (): void => {
  const { RateLimiterClusterMaster } = loadLimiters()
  new RateLimiterClusterMaster()
}

/** Counts in the primary, for all workers. */
const rateLimiterOfWorkers = (points: number): RateLimiter => {
  const { RateLimiterCluster, RateLimiterRes } = loadLimiters()
  const limiter = new RateLimiterCluster({ points, duration: rateWindowSeconds, keyPrefix: "keys" })
  // The library throws the window of a key that is over the limit.
  const refused = (thrown: unknown) => (thrown instanceof RateLimiterRes ? thrown : Promise.reject(thrown))
  return { points, count: (keyId) => limiter.consume(keyId).catch(refused) }
}

/** Counts with the other workers, if this process is one. */
export const rateLimiterOf = (points: number): RateLimiter =>
  cluster.isWorker ? rateLimiterOfWorkers(points) : rateLimiterHere(points)

/** Adds the rate limit's headers (draft-ietf-httpapi-ratelimit-headers §3, §4), and refuses requests over the limit with 429. */
export const limitRate =
  (limiter: RateLimiter): Step =>
  async (exchange, next) => {
    if (exchange.apiKey === undefined) return next()
    const { consumedPoints, remainingPoints, msBeforeNext } = await limiter.count(exchange.apiKey.id)
    // The counter of several processes uses the wall clock. After the clock was set back, it would report hours.
    const resetSeconds = Math.min(rateWindowSeconds, Math.ceil(msBeforeNext / 1000))
    const policy = `"key";q=${limiter.points};w=${rateWindowSeconds}`
    const left = `"key";r=${remainingPoints};t=${resetSeconds}`
    exchange.addHeaders(headerLines(["RateLimit-Policy", policy, "RateLimit", left]))
    if (consumedPoints <= limiter.points) return next()
    const message = `The API key may send ${limiter.points} requests a minute. Try again in ${resetSeconds} s.`
    throw httpError("rate_limited", message, ["Retry-After", String(resetSeconds)])
  }
