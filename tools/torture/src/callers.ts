import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import type { Request } from "@petstore/harness/http"
import { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import type { Write } from "./ledger.ts"
import type { RandomLedger } from "./random-ledger.ts"

/** The failures that clients must tolerate during a fault. */
export interface Tolerated {
  /** Whether the service may refuse connections and break them. */
  readonly mayBreak?: boolean
  /** Whether the service may respond with 503 `storage_unavailable`. */
  readonly mayRefuse?: boolean
}

/** The outcome of a request, as far as the client knows it. */
export type Outcome = "done" | "refused" | "unknown"

/** The clients of one round: their target, what they tolerate, and when they stop. The ledger records all other failures. */
export class Callers {
  readonly #baseUrl: () => string
  readonly #key: string
  readonly #tolerated: Tolerated
  readonly ledger: RandomLedger
  /** The number of 503 responses. */
  refusals = 0
  isStopping = false

  constructor(baseUrl: () => string, key: string, ledger: RandomLedger, tolerated: Tolerated) {
    this.#baseUrl = baseUrl
    this.#key = key
    this.#tolerated = tolerated
    this.ledger = ledger
  }

  newClient(): Client {
    return new Client(this.#baseUrl(), this.#key)
  }

  /** Runs several callers of each kind until they stop, each with its own random numbers. Never rejects. */
  async run(random: Random, ...kinds: ReadonlyArray<readonly [count: number, call: (random: Random) => Promise<void>]>) {
    const callers = kinds.flatMap(([count, call]) => Array.from({ length: count }, () => call(new Random(random.seed()))))
    await Promise.all(callers.map((caller) => this.wait(caller)))
  }

  /** A caller that acts repeatedly, with a random pause before each action. */
  repeat(leastMillis: number, mostMillis: number, act: (random: Random) => Promise<void>): (random: Random) => Promise<void> {
    return async (random) => {
      while (!this.isStopping) {
        await sleep(random.integer(leastMillis, mostMillis))
        if (!this.isStopping) await act(random)
      }
    }
  }

  /** Waits for a caller. Never rejects, because failures are recorded. */
  wait(caller: Promise<void>): Promise<void> {
    return caller.catch((cause) => this.ledger.problem(messageOf(cause)))
  }

  /** A caller with a client that follows the service to another port after a restart. It pauses randomly after each turn. */
  keepCalling(mostMillis: number, turn: (client: Client, random: Random) => Promise<void>): (random: Random) => Promise<void> {
    return async (random) => {
      while (!this.isStopping) {
        const url = this.#baseUrl()
        using client = this.newClient()
        while (!this.isStopping && url === this.#baseUrl()) {
          await turn(client, random)
          await sleep(random.integer(0, mostMillis))
        }
      }
    }
  }

  async atOnce(count: number, act: (client: Client, index: number) => Promise<unknown>): Promise<void> {
    const clients = Array.from({ length: count }, () => this.newClient())
    await Promise.all(clients.map(act))
    for (const client of clients) client.close()
  }

  /** Sends a request that reads, and returns the response, if any. */
  async send(client: Client, request: Request): Promise<WireResponse | undefined> {
    return client.send(request).catch((cause) => this.#broken(cause))
  }

  /** Sends a request that writes. Returns its outcome, as far as it is known. */
  async write(client: Client, write: Write): Promise<Outcome> {
    const { isUnconfirmed } = this.ledger
    const response = await this.ledger.write(client, write).catch((cause) => this.#broken(cause))
    if (response === undefined || response.status === 503) {
      if (response !== undefined) this.refused(response, write.what)
      if (write.intent !== undefined) write.intent.isUnknown = true
      return "unknown"
    }
    // Only a correction with a name always writes, because every name is new. Other corrections may have no effect.
    const mayBeIdle = write.request.method === "PATCH" && !String(write.request.body).includes('"name"')
    if (isUnconfirmed && !mayBeIdle && response.status < 300 && this.ledger.isUnconfirmed)
      this.ledger.problem(`${write.what} was acknowledged before any standby had confirmed it: ${response.text.slice(0, 200)}`)
    return response.status < 300 ? "done" : "refused"
  }

  /** Sends part of a request, never all of it, on a new connection, then disconnects. The request must have no effect. */
  async sendPart({ http }: Client, request: Request, share: number): Promise<void> {
    const bytes = http.encode(request)
    const end = Math.min(bytes.length - 1, Math.floor(bytes.length * share))
    try {
      using connection = await http.open()
      connection.write(bytes.subarray(0, end))
      // Lets the bytes leave before the disconnect.
      await new Promise(setImmediate)
    } catch (cause) {
      this.#broken(cause)
    }
  }

  #broken(cause: unknown): undefined {
    if (this.#tolerated.mayBreak !== true) this.ledger.problem(`a connection failed: ${messageOf(cause)}`)
    return undefined
  }

  refused(response: WireResponse, what: string): void {
    if (response.status === 503) this.refusals += 1
    if (response.status === 503 && this.#tolerated.mayRefuse === true) return
    this.ledger.problem(`${what} got ${response.status} ${response.text.slice(0, 200)}`)
  }
}

/** How long a healthy service may take to resolve all unknown outcomes, on a busy machine, in ms. */
const knownMillis = 60_000

/** Repeats an attempt until its outcome is known. Returns whether it became known in time. */
export const untilKnown = async (attempt: () => Promise<boolean>): Promise<boolean> => {
  const tooLateAt = performance.now() + knownMillis
  while (!(await attempt())) {
    if (performance.now() > tooLateAt) return false
    await sleep(50)
  }
  return true
}
