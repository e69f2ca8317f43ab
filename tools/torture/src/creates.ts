/** Sends requests that create pets or orders: once, repeatedly, or until their outcomes are known. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Client } from "@petstore/harness/client"
import type { Random } from "@petstore/harness/random"
import { type Callers, type Outcome, untilKnown } from "./callers.ts"
import type { Intent, Write } from "./ledger.ts"

/** The requests of one round that create rows of one kind. Calls `done` after each acknowledgement. */
export const creating = <Given>(callers: Callers, writeOf: (intent: Intent<Given>) => Write, done: () => void = () => {}) => {
  const intents = new Set<Intent<Given>>()

  /** Sends an intent once and returns its outcome, if known. */
  const attempt = async (client: Client, intent: Intent<Given>): Promise<Outcome> => {
    intents.add(intent)
    const outcome = await callers.write(client, writeOf(intent))
    if (outcome === "done") done()
    return outcome
  }

  /** Sends an intent. May repeat it after an unknown outcome or, with a key and the probability `repeated`, after a known one. */
  const persist = async (client: Client, intent: Intent<Given>, repeated: number, random: Random): Promise<void> => {
    const isKeyed = intent.idempotencyKey !== undefined
    for (let tries = 0; tries < 4; tries += 1) {
      const outcome = await attempt(client, intent)
      const again = outcome === "unknown" ? (isKeyed ? 0.7 : 0.3) : outcome === "done" && isKeyed ? repeated : 0
      if (callers.isStopping || !random.chance(again)) return
      if (outcome === "unknown") await sleep(10)
    }
  }

  /** After a recovery, repeats each keyed request until its outcome is known, and repeats some acknowledged requests. */
  const settle = async (repeats: number, random: Random): Promise<void> => {
    using client = callers.newClient()
    const keyed = [...intents].filter(({ idempotencyKey }) => idempotencyKey !== undefined)
    const isAcknowledged = ({ known }: Intent<Given>): boolean => known.atMillis < Number.POSITIVE_INFINITY
    for (const intent of keyed.filter((one) => one.isUnknown && !isAcknowledged(one))) {
      if (await untilKnown(async () => (await attempt(client, intent)) !== "unknown")) continue
      callers.ledger.problem(`${writeOf(intent).what} never got a response, although the service has recovered`)
      break
    }
    for (const intent of random.shuffle(keyed.filter(isAcknowledged)).slice(0, repeats)) await attempt(client, intent)
  }
  return { attempt, persist, settle }
}

export const keyHeaders = ({ idempotencyKey }: Intent<unknown>): ReadonlyArray<string> =>
  idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]
