import { Effect } from "effect"
import { WrongUsage } from "./program.js"

const unitMillis: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The longest lifetime, in ms: a hundred years. A longer lifetime is not a meaningful expiry. */
const lifetimeMaximumMillis = 36_525 * 86_400_000

/** Parses a duration such as `90d`, `12h`, `30m` or `45s` into ms. */
export const decodeDuration = (option: string, text: string): Effect.Effect<number, WrongUsage> => {
  const [, count = "", unit = ""] = /^([1-9][0-9]*)([smhd])$/.exec(text) ?? []
  const millis = Number(count) * (unitMillis[unit] ?? 0)
  return millis > 0 && millis <= lifetimeMaximumMillis
    ? Effect.succeed(millis)
    : new WrongUsage({ reason: `${option}: expected a time such as 90d, 12h, 30m or 45s, got ${JSON.stringify(text)}` })
}
