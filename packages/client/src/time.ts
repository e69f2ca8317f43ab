import type { Signal } from "./platform.js"

/** The maximum wait before the second request. The maximum doubles for each further request, up to `longestBackoffMillis`. */
const firstBackoffMillis = 250
const longestBackoffMillis = 8000

/**
 * The wait after failed requests, never shorter than the service requests. Its random part (full jitter) spreads clients that
 * failed together.
 *
 * @param random  0 to 1
 */
export const backoffMillis = (attempts: number, retryAfterMillis: number | undefined, random: number): number =>
  (retryAfterMillis ?? 0) + random * Math.min(longestBackoffMillis, firstBackoffMillis * 2 ** (attempts - 1))

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3), a number of seconds or a date. Returns the number of ms to wait. A date is compared
 * with the `Date` header of the same response, if there is one, because the clocks may differ.
 */
export const retryAfterMillis = (header: string | null, date: string | null): number | undefined => {
  if (header === null) return undefined
  if (/^\s*[0-9]+\s*$/.test(header)) return Number(header) * 1000
  const millis = Date.parse(header) - (date === null ? Date.now() : Date.parse(date))
  return Number.isNaN(millis) ? undefined : Math.max(0, millis)
}

/** The maximum duration of a timer. A longer timer would fire immediately. */
const longestTimerMillis = 2 ** 31 - 1

/** The abort reason after a timeout. */
export const timeUp = Symbol("time is up")

/** Passes `run` a signal that `outer` or a timeout aborts. An abort rejects with its reason even if `run` ignores the signal. */
export const within = async <A>(millis: number, outer: Signal | undefined, run: (signal: Signal) => Promise<A>): Promise<A> => {
  const controller = new AbortController()
  const { signal } = controller
  const forward = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(timeUp), Math.min(millis, longestTimerMillis))
  try {
    return await new Promise<A>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason))
      outer?.addEventListener("abort", forward)
      if (outer?.aborted === true) forward()
      else run(signal).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", forward)
  }
}

/** Waits for the given time, or until the signal aborts. Never rejects, because the caller then checks the signal. */
export const pause = (millis: number, outer: Signal | undefined): Promise<void> =>
  within(millis, outer, () => new Promise<void>(() => undefined)).catch(() => undefined)
