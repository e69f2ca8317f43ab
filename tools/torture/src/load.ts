/**
 * The load of one round: callers that create, some of them again and again or
 * only by half, one that reads by id and one that pages. What they are told goes into the ledger.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Client } from "@petstore/harness/client"
import { pageOf, petOf } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import { type Callers, type Outcome, requestOf, untilKnown } from "./callers.ts"
import { describePet, type Intent, isAsGiven, type Ledger, show } from "./ledger.ts"

const creators = 6
/** Creates that leave in the same moment, each on a connection of its own. */
const burst = 16

export class Load {
  readonly #callers: Callers
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #intents: Array<Intent> = []
  #lastAcknowledgedAt = performance.now()
  #longestOutageMillis = 0

  constructor(callers: Callers, seed: number) {
    this.#callers = callers
    this.#ledger = callers.ledger
    this.#random = new Random(seed)
  }

  /** The longest time without a 201 so far, in ms. */
  get longestOutageMillis(): number {
    return Math.max(this.#longestOutageMillis, performance.now() - this.#lastAcknowledgedAt)
  }

  /** Runs until the callers stop. Never rejects. */
  async run(): Promise<void> {
    this.#lastAcknowledgedAt = performance.now()
    await this.#callers.wait([
      ...Array.from({ length: creators }, () => this.#create(new Random(this.#random.seed()))),
      this.#burst(new Random(this.#random.seed())),
      this.#read(new Random(this.#random.seed())),
      this.#page(),
    ])
    this.#longestOutageMillis = this.longestOutageMillis
    this.#lastAcknowledgedAt = Number.POSITIVE_INFINITY
  }

  /** Repeats every keyed request of this load that was not acknowledged until it is, and some that were. To be called when the service is well again. */
  async settle(): Promise<void> {
    using client = this.#callers.newClient()
    const keyed = this.#intents.filter(({ idempotencyKey, sent }) => idempotencyKey !== undefined && sent > 0)
    for (const intent of keyed.filter(({ acknowledged }) => acknowledged.size === 0)) {
      if (await untilKnown(async () => (await this.#attempt(client, intent)) === "done")) continue
      this.#ledger.problem(`${show(intent)} was never acknowledged, although the service is well again`)
      break
    }
    for (const intent of this.#random.shuffle(keyed).slice(0, 20)) await this.#attempt(client, intent)
  }

  #create(random: Random): Promise<void> {
    return this.#callers.keepCalling(async (client) => {
      const intent = this.#intent(random)
      const isKeyed = intent.idempotencyKey !== undefined
      if (random.chance(0.08)) await this.#cut(client, intent, random)
      else await this.#callers.persist(() => this.#attempt(client, intent), isKeyed, 0.1, random)
      await sleep(random.integer(0, 30))
    })
  }

  async #burst(random: Random): Promise<void> {
    await sleep(random.integer(0, 400))
    if (this.#callers.isStopping) return
    const shared = this.#intent(random)
    await this.#callers.atOnce(burst, (client, index) =>
      // Half of them want the same, if it has a key: one of them makes it.
      this.#attempt(client, index % 2 === 0 && shared.idempotencyKey !== undefined ? shared : this.#intent(random)),
    )
  }

  #intent(random: Random): Intent {
    const intent = this.#ledger.intent(random)
    this.#intents.push(intent)
    return intent
  }

  /** Sends an intent once, and tells whether it was acknowledged. */
  async #attempt(client: Client, intent: Intent): Promise<Outcome> {
    const answer = await this.#callers.send(client, requestOf(intent), () => {
      intent.sent += 1
    })
    if (answer === undefined) return "unknown"
    if (answer.status !== 201) {
      this.#callers.refused(answer)
      return "unknown"
    }
    this.#ledger.acknowledge(intent, petOf(answer.json))
    const now = performance.now()
    this.#longestOutageMillis = Math.max(this.#longestOutageMillis, now - this.#lastAcknowledgedAt)
    this.#lastAcknowledgedAt = now
    return "done"
  }

  /** Leaves in the middle of a body: nothing may come of it. */
  #cut(client: Client, intent: Intent, random: Random): Promise<void> {
    const share = random.next()
    const partOf = (length: number): number => Math.min(length - 1, Math.floor(length * (0.5 + share / 2)))
    return this.#callers.sendPart(client, requestOf(intent), partOf)
  }

  async #read(random: Random): Promise<void> {
    while (!this.#callers.isStopping) {
      const ids = this.#ledger.acknowledgedIds
      const id = ids[random.integer(0, Math.max(0, ids.length - 1))]
      if (id !== undefined) await this.#readOne(id)
      await sleep(random.integer(5, 30))
    }
  }

  async #readOne(id: bigint): Promise<void> {
    using client = this.#callers.newClient()
    const answer = await this.#callers.send(client, { path: `/pets/${id}` })
    if (answer === undefined) return
    if (answer.status !== 200) return this.#callers.refused(answer, `reading the acknowledged ${id}`)
    const pet = petOf(answer.json)
    const intent = this.#ledger.intentOfId(id)
    if (intent !== undefined && !isAsGiven(intent, pet)) this.#ledger.problem(`${show(intent)} was read as ${describePet(pet)}`)
  }

  /** Walks through the catalogue while it grows: what was there when the walk began is seen once (sentence 4.1.18). */
  async #page(): Promise<void> {
    while (!this.#callers.isStopping) {
      const there = this.#ledger.acknowledgedIds.length
      const seen = new Set<bigint>()
      let last: bigint | undefined
      let target: string | undefined = "/v1/pets?limit=100"
      let client = this.#callers.newClient()
      while (target !== undefined && !this.#callers.isStopping) {
        const answer = await this.#callers.send(client, { target })
        if (answer?.status === 200) {
          for (const { id } of pageOf(answer)) {
            if (seen.has(id) || (last !== undefined && id < last)) this.#ledger.problem(`a walk saw ${id} twice or too late`)
            seen.add(id)
            last = id
          }
          target = answer.link("next")
        } else if (answer !== undefined) this.#callers.refused(answer)
        else {
          client.close()
          // A cursor outlives the service that gave it.
          client = this.#callers.newClient()
        }
        await sleep(5)
      }
      client.close()
      const end = target === undefined ? undefined : last
      const ids = this.#ledger.acknowledgedIds.slice(0, target !== undefined && last === undefined ? 0 : there)
      const missed = ids.filter((id) => (end === undefined || id <= end) && !seen.has(id))
      if (missed.length > 0) this.#ledger.problem(`a walk missed ${missed.length} pets, ${missed[0]} first`)
    }
  }
}
