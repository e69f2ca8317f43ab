/**
 * The load of one round: clients that create pets, sometimes with repeated or partial requests, one client that reads by id, and
 * one that reads pages. The ledger records their responses.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { newPetJson } from "@petstore/conformance/catalogue"
import type { Client } from "@petstore/harness/client"
import { pageOf, petOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import { Random } from "@petstore/harness/random"
import type { Callers } from "./callers.ts"
import { readPet } from "./change-load.ts"
import { Creates, keyHeaders } from "./creates.ts"
import type { Ledger, PetIntent } from "./ledger.ts"

const creators = 6
/** The number of concurrent creates, each on a new connection. */
const burst = 16

export const requestOf = (intent: PetIntent): Request => ({
  method: "POST",
  path: "/pets",
  body: newPetJson(intent.given),
  headers: keyHeaders(intent),
})

export class Load {
  readonly #callers: Callers
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #creates: Creates<PetIntent["given"]>
  #lastAcknowledgedAt = performance.now()
  #longestOutageMillis = 0

  constructor(callers: Callers, seed: number) {
    const { ledger } = callers
    this.#callers = callers
    this.#ledger = ledger
    this.#random = new Random(seed)
    this.#creates = new Creates(callers, ledger.pets, {
      requestOf,
      sending: (intent) => ledger.pets.sending(intent),
      created: (intent, response) => {
        ledger.acknowledgePet(intent, petOf(response.json))
        const now = performance.now()
        this.#longestOutageMillis = Math.max(this.#longestOutageMillis, now - this.#lastAcknowledgedAt)
        this.#lastAcknowledgedAt = now
      },
    })
  }

  /** The longest time without a 201 so far, in ms. */
  get longestOutageMillis(): number {
    return Math.max(this.#longestOutageMillis, performance.now() - this.#lastAcknowledgedAt)
  }

  /** Runs until the callers stop. Never rejects. */
  async run(): Promise<void> {
    this.#lastAcknowledgedAt = performance.now()
    await this.#callers.run(
      this.#random,
      [creators, (random) => this.#create(random)],
      [1, (random) => this.#burst(random)],
      [1, this.#callers.repeat(5, 30, (random) => this.#read(random))],
      [1, this.#callers.repeat(0, 0, (random) => this.#page(random))],
    )
    this.#longestOutageMillis = this.longestOutageMillis
    this.#lastAcknowledgedAt = Number.POSITIVE_INFINITY
  }

  /** Repeats requests until their outcomes are known. Call this after the service has recovered. */
  settle(): Promise<void> {
    return this.#creates.settle(20, this.#random)
  }

  #create(random: Random): Promise<void> {
    return this.#callers.keepCalling(async (client) => {
      const intent = this.#ledger.newPet(random)
      if (random.chance(0.08)) await this.#cut(client, intent, random)
      else await this.#creates.persist(client, intent, 0.1, random)
      await sleep(random.integer(0, 30))
    })
  }

  async #burst(random: Random): Promise<void> {
    await sleep(random.integer(0, 400))
    if (this.#callers.isStopping) return
    const shared = this.#ledger.newPet(random)
    await this.#callers.atOnce(burst, (client, index) =>
      // Half of the clients send the same request, if it has a key. One of them creates the pet.
      this.#creates.attempt(
        client,
        index % 2 === 0 && shared.idempotencyKey !== undefined ? shared : this.#ledger.newPet(random),
      ),
    )
  }

  /** Disconnects in the middle of a body. The request must have no effect. */
  #cut(client: Client, intent: PetIntent, random: Random): Promise<void> {
    const share = random.next()
    const partOf = (length: number): number => Math.min(length - 1, Math.floor(length * (0.5 + share / 2)))
    return this.#callers.sendPart(client, requestOf(intent), partOf)
  }

  /** Reads a pet in one of two ways. */
  async #read(random: Random): Promise<void> {
    const known = random.pickAny(random.chance(0.5) ? this.#ledger.pets.known : this.#ledger.wantedNow)
    if (known === undefined) return
    using client = this.#callers.newClient()
    await readPet(this.#callers, client, known, random.chance(0.5))
  }

  /** Walks through the changing catalogue. Pets that existed when the walk began appear once (sentence 4.1.18). */
  async #page(random: Random): Promise<void> {
    const isDescending = random.chance(0.5)
    const isBefore = (one: bigint, other: bigint): boolean => (isDescending ? one > other : one < other)
    const there = this.#ledger.pets.known.length
    const seen = new Set<bigint>()
    let last: bigint | undefined
    let target: string | undefined = `/v1/pets?limit=100${isDescending ? "&order=desc" : ""}`
    let client = this.#callers.newClient()
    while (target !== undefined && !this.#callers.isStopping) {
      const beganAtMillis = performance.now()
      const response = await this.#callers.send(client, { target })
      if (response?.status === 200) {
        for (const pet of pageOf(response)) {
          const { id } = pet
          const known = this.#ledger.pets.knownOf(id)
          if (known !== undefined) this.#ledger.showPet(known, pet, beganAtMillis)
          if (seen.has(id) || (last !== undefined && isBefore(id, last)))
            this.#ledger.problem(`a walk saw pet ${id} twice or out of order`)
          seen.add(id)
          last = id
        }
        target = response.link("next")
      } else if (response !== undefined) this.#callers.refused(response)
      else {
        client.close()
        // A cursor stays valid after the service that issued it has stopped.
        client = this.#callers.newClient()
      }
      await sleep(5)
    }
    client.close()
    const end = target === undefined ? undefined : last
    const known = this.#ledger.pets.known.slice(0, target !== undefined && last === undefined ? 0 : there)
    const missed = known
      .map(({ first }) => first.id)
      .filter((id) => (end === undefined || !isBefore(end, id)) && !seen.has(id) && !this.#ledger.historyOf(id).isRemovalAsked)
    if (missed.length > 0) this.#ledger.problem(`a walk missed ${missed.length} pets, the first of them ${missed[0]}`)
  }
}
