/** Log lines about an unavailable database: a full disk fails thousands of requests a second for one reason. */
import type { Logger } from "pino"

/** How long after a line the same reason is only counted. */
const quietMillis = 10_000

/** Further reasons within that time are counted together. */
const reasonsMaximum = 16

type LogUnavailable = (facts: { readonly requestId: string; readonly err: unknown }, message: string) => void

/** Logs the first failure of each reason in full, and then every 10 s how often the reason occurred again. */
export const unavailableLog = (logger: Pick<Logger, "error">): LogUnavailable => {
  const repeated = new Map<string, number>()
  const sumUp = (): void => {
    for (const [reason, times] of repeated)
      if (times > 0) logger.error({ times }, `${reason} (again, in ${quietMillis / 1000} s)`)
    repeated.clear()
  }
  return ({ requestId, err }, message) => {
    const reason = err instanceof Error ? err.message : message
    if (repeated.size === 0) setTimeout(sumUp, quietMillis).unref()
    const key =
      repeated.has(reason) || repeated.size < reasonsMaximum ? reason : "The database is unavailable for further reasons"
    const times = repeated.get(key)
    if (times === undefined) logger.error({ requestId, err }, message)
    repeated.set(key, times === undefined ? 0 : times + 1)
  }
}
