/** Sends requests that create pets or orders: once, repeatedly, or until their outcomes are known. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Client } from "@petstore/harness/client"
import type { Request } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import type { Creations, Intent } from "@petstore/model/creations"
import { type Callers, untilKnown } from "./callers.ts"

/** What differs between creating pets and creating orders. */
interface Kind<Given> {
  readonly requestOf: (intent: Intent<Given>) => Request
  readonly sending: (intent: Intent<Given>) => void
  readonly created: (intent: Intent<Given>, response: WireResponse) => void
  /** Whether a response proves that nothing was created. If so, records the response. */
  readonly isRefusal?: (intent: Intent<Given>, response: WireResponse, isRepeated: boolean) => boolean
}

/** The outcome of a request, as far as the client knows it. */
export type Outcome = "done" | "refused" | "unknown"

/** The requests of one round that create rows of one kind. */
export const creating = <Given>(callers: Callers, { show }: Pick<Creations<Given, never>, "show">, kind: Kind<Given>) => {
  const intents = new Set<Intent<Given>>()

  /** Sends an intent once and returns its outcome, if known. */
  const attempt = async (client: Client, intent: Intent<Given>): Promise<Outcome> => {
    intents.add(intent)
    const isRepeated = intent.acknowledged.size > 0
    const response = await callers.send(client, kind.requestOf(intent), () => kind.sending(intent))
    if (response === undefined) return "unknown"
    if (response.status === 201) {
      kind.created(intent, response)
      return "done"
    }
    if (kind.isRefusal?.(intent, response, isRepeated) === true) return "refused"
    callers.refused(response, show(intent.given))
    return response.status === 503 ? "unknown" : "refused"
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
    const keyed = [...intents].filter(({ idempotencyKey, sent }) => idempotencyKey !== undefined && sent > 0)
    for (const intent of keyed.filter(({ acknowledged, unknown }) => acknowledged.size === 0 && unknown > 0)) {
      if (await untilKnown(async () => (await attempt(client, intent)) !== "unknown")) continue
      callers.model.problem(`${show(intent.given)} never got a response, although the service has recovered`)
      break
    }
    const acknowledged = keyed.filter((intent) => intent.acknowledged.size > 0)
    for (const intent of random.shuffle(acknowledged).slice(0, repeats)) await attempt(client, intent)
  }
  return { attempt, persist, settle }
}

export const keyHeaders = ({ idempotencyKey }: Intent<unknown>): ReadonlyArray<string> =>
  idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]
