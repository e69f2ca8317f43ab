/** What all callers that torture a service have in common. */
import { setTimeout as sleep } from "node:timers/promises"
import { newPetJson } from "@petstore/conformance/catalogue"
import { Client } from "@petstore/harness/client"
import type { Request } from "@petstore/harness/http"
import type { Intent, Ledger } from "./ledger.ts"
import { messageOf, Tolerance, type Tolerated } from "./tolerance.ts"

/** The request of an intent. */
export const requestOf = ({ given, idempotencyKey }: Intent): Request => ({
  method: "POST",
  path: "/pets",
  body: newPetJson(given),
  headers: idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`],
})

/** Sends the first bytes of a request on a connection of its own, and leaves. */
export const sendPart = async ({ http }: Client, request: Request, partOf: (length: number) => number): Promise<void> => {
  const bytes = http.encode(request)
  using connection = await http.open()
  connection.write(bytes.subarray(0, partOf(bytes.length)))
  // Lets the bytes go before the connection does.
  await new Promise(setImmediate)
}

/** The callers of one round: where they call, what they put up with, and when they stop. */
export class Callers {
  readonly #baseUrl: () => string
  readonly #key: string
  readonly ledger: Ledger
  readonly tolerance: Tolerance
  isStopping = false

  constructor(baseUrl: () => string, key: string, ledger: Ledger, tolerated: Tolerated) {
    this.#baseUrl = baseUrl
    this.#key = key
    this.ledger = ledger
    this.tolerance = new Tolerance(tolerated, ledger)
  }

  newClient(): Client {
    return new Client(this.#baseUrl(), this.#key)
  }

  /** Waits for some of them. Never rejects: what one fails with is noted. */
  async wait(callers: ReadonlyArray<Promise<void>>): Promise<void> {
    await Promise.all(callers.map((caller) => caller.catch((cause) => this.ledger.problem(messageOf(cause)))))
  }

  /** Calls `turn` again and again, until it is time to stop, with a client that follows the service when it listens somewhere else after a restart. */
  async keepCalling(turn: (client: Client) => Promise<void>): Promise<void> {
    while (!this.isStopping) {
      const url = this.#baseUrl()
      using client = this.newClient()
      while (!this.isStopping && url === this.#baseUrl()) await turn(client)
    }
  }
}

/** A time after which a service that is well leaves nothing unknown, on a busy machine, in ms. */
const knownMillis = 60_000

/** Tries until it is known what became of something. Tells whether it is known in the end. */
export const untilKnown = async (attempt: () => Promise<boolean>): Promise<boolean> => {
  const tooLateAt = performance.now() + knownMillis
  while (!(await attempt())) {
    if (performance.now() > tooLateAt) return false
    await sleep(50)
  }
  return true
}
