/** Sends requests that create pets or orders: once, repeatedly, or until their outcomes are known. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Client } from "@petstore/harness/client"
import type { Request } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import type { Book, Intent } from "./book.ts"
import { type Callers, untilKnown } from "./callers.ts"

/** The differences between pets and orders. */
interface Kind<Given> {
  readonly requestOf: (intent: Intent<Given>) => Request
  readonly sending: (intent: Intent<Given>) => void
  /** Records a 201 response. */
  readonly created: (intent: Intent<Given>, response: WireResponse) => void
  /** Returns whether a response proves that nothing was created, and records it if so. */
  readonly isRefusal?: (intent: Intent<Given>, response: WireResponse, isRepeated: boolean) => boolean
}

export class Creates<Given> {
  readonly #callers: Callers
  readonly #show: (given: Given) => string
  readonly #kind: Kind<Given>
  /** This round's intents. */
  readonly #intents = new Set<Intent<Given>>()

  constructor(callers: Callers, { show }: Pick<Book<Given, never>, "show">, kind: Kind<Given>) {
    this.#callers = callers
    this.#show = show
    this.#kind = kind
  }

  /** Sends an intent once and returns its outcome, if known. */
  async attempt(client: Client, intent: Intent<Given>): Promise<"done" | "refused" | "unknown"> {
    this.#intents.add(intent)
    const isRepeated = intent.acknowledged.size > 0
    const response = await this.#callers.send(client, this.#kind.requestOf(intent), () => this.#kind.sending(intent))
    if (response === undefined) return "unknown"
    if (response.status === 201) {
      this.#kind.created(intent, response)
      return "done"
    }
    if (this.#kind.isRefusal?.(intent, response, isRepeated) === true) return "refused"
    this.#callers.refused(response, this.#show(intent.given))
    return response.status === 503 ? "unknown" : "refused"
  }

  /**
   * Sends an intent, and may send it again if its outcome is unknown: usually if it has a key, sometimes if it does not. A
   * request with a key is also repeated after its outcome is known, with the probability `repeated`.
   */
  async persist(client: Client, intent: Intent<Given>, repeated: number, random: Random): Promise<void> {
    const isKeyed = intent.idempotencyKey !== undefined
    for (let tries = 0; tries < 4; tries += 1) {
      const outcome = await this.attempt(client, intent)
      const again = outcome === "unknown" ? (isKeyed ? 0.7 : 0.3) : outcome === "done" && isKeyed ? repeated : 0
      if (this.#callers.isStopping || !random.chance(again)) return
      if (outcome === "unknown") await sleep(10)
    }
  }

  /** After a recovery, repeats each keyed request until its outcome is known, and some acknowledged ones again. */
  async settle(repeats: number, random: Random): Promise<void> {
    using client = this.#callers.newClient()
    const keyed = [...this.#intents].filter(({ idempotencyKey, sent }) => idempotencyKey !== undefined && sent > 0)
    for (const intent of keyed.filter(({ acknowledged, unknown }) => acknowledged.size === 0 && unknown > 0)) {
      if (await untilKnown(async () => (await this.attempt(client, intent)) !== "unknown")) continue
      this.#callers.ledger.problem(`${this.#show(intent.given)} never got a response, although the service has recovered`)
      break
    }
    const acknowledged = keyed.filter((intent) => intent.acknowledged.size > 0)
    for (const intent of random.shuffle(acknowledged).slice(0, repeats)) await this.attempt(client, intent)
  }
}

export const keyHeaders = ({ idempotencyKey }: Intent<unknown>): ReadonlyArray<string> =>
  idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]
