/** When a delivery is tried again, and when it is not. */
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** The pauses after each failed try. */
const pausesMillis = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, day]

/** A pause is longer by up to this share, so that many webhooks do not meet. */
const jitter = 0.1

/** How often a change is tried before later ones may overtake it. */
export const triesInOrder = 5

/** How often a change is tried that was put aside. */
export const triesMaximum = pausesMillis.length + 1

/** How long an endpoint may fail, without one success, before it is disabled. */
export const failingMaximumMillis = 5 * day

/** The time of the next try after so many. `retryAfterMillis` is the pause that the endpoint asks for, which counts up to a day. */
export const nextTryMillis = (tries: number, nowMillis: number, random: number, retryAfterMillis = 0): number => {
  const pause = (pausesMillis[tries - 1] ?? day) * (1 + random * jitter)
  return Math.round(nowMillis + Math.max(pause, Math.min(retryAfterMillis, day)))
}
