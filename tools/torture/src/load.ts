/** The load of one round: several clients create pets, some with repeated or partial requests, and two clients read. */
import { setTimeout as sleep } from "node:timers/promises"
import { newPetJson } from "@petstore/conformance/catalogue"
import { pageOf } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"
import type { Values } from "@petstore/model/rules"
import type { Callers } from "./callers.ts"
import { readPet } from "./change-load.ts"
import { creating, keyHeaders } from "./creates.ts"
import type { Intent, Write } from "./ledger.ts"

const creators = 6
/** The number of concurrent create requests, each on a new connection. */
const burstSize = 16

/** A pet appears once. */
export const creationOf = (intent: Intent<Values>): Write => ({
  what: `the creation of ${intent.given.name.slice(0, 60)}`,
  petId: undefined,
  intent,
  request: { method: "POST", path: "/pets", body: newPetJson(intent.given), headers: keyHeaders(intent) },
  rule: () => (cell) => (cell.values === undefined && cell.orders.size === 0 ? { ...cell, values: intent.given } : "exists"),
})

export const petLoad = (callers: Callers, random: Random) => {
  const { ledger } = callers
  let lastAcknowledgedAt = performance.now()
  let longestOutageMillis = 0
  const creates = creating(callers, creationOf, () => {
    const now = performance.now()
    longestOutageMillis = Math.max(longestOutageMillis, now - lastAcknowledgedAt)
    lastAcknowledgedAt = now
  })

  /** Returns the longest time without a 201, in ms. */
  const run = async (): Promise<number> => {
    lastAcknowledgedAt = performance.now()
    await callers.run(random, [creators, create], [1, burst], [1, read], [1, page])
    return Math.max(longestOutageMillis, performance.now() - lastAcknowledgedAt)
  }

  const create = callers.keepCalling(30, async (client, random) => {
    const intent = ledger.newPet(random)
    if (random.chance(0.08)) await callers.sendPart(client, creationOf(intent).request, 0.5 + random.next() / 2)
    else await creates.persist(client, intent, 0.1, random)
  })

  const burst = async (random: Random): Promise<void> => {
    await sleep(random.integer(0, 400))
    if (callers.isStopping) return
    const shared = ledger.newPet(random)
    await callers.atOnce(burstSize, (client, index) =>
      // Half of the clients send the same request, if it has a key. One of them creates the pet.
      creates.attempt(client, index % 2 === 0 && shared.idempotencyKey !== undefined ? shared : ledger.newPet(random)),
    )
  }

  const read = callers.repeat(5, 30, async (random) => {
    const pet = random.pickAny(random.chance(0.5) ? ledger.pets : ledger.wantedNow)
    if (pet === undefined) return
    using client = callers.newClient()
    await readPet(callers, client, pet.id, random.chance(0.5))
  })

  /** Walks through the changing catalogue. Pets that existed when the walk began appear once (sentence 4.1.18). */
  const page = callers.repeat(0, 0, async (random) => {
    const isDescending = random.chance(0.5)
    const isBefore = (one: bigint, other: bigint): boolean => (isDescending ? one > other : one < other)
    const walkBeganAtMillis = performance.now()
    const there = ledger.pets.length
    const seen = new Set<bigint>()
    let last: bigint | undefined
    let target: string | undefined = `/v1/pets?limit=100${isDescending ? "&order=desc" : ""}`
    let client = callers.newClient()
    while (target !== undefined && !callers.isStopping) {
      const beganAtMillis = performance.now()
      const response = await callers.send(client, { target })
      if (response?.status === 200) {
        for (const pet of pageOf(response)) {
          const { id } = pet
          ledger.show(id, pet, beganAtMillis)
          if (seen.has(id) || (last !== undefined && isBefore(id, last)))
            ledger.problem(`a walk saw pet ${id} twice or out of order`)
          seen.add(id)
          last = id
        }
        target = response.link("next")
      } else if (response !== undefined) callers.refused(response, "a page of pets")
      else {
        client.close()
        // A cursor stays valid after the service that issued it has stopped.
        client = callers.newClient()
      }
      await sleep(5)
    }
    client.close()
    const end = target === undefined ? undefined : last
    const known = ledger.pets.slice(0, target !== undefined && last === undefined ? 0 : there)
    // A pet that the walk missed was removed.
    for (const { id } of known)
      if ((end === undefined || !isBefore(end, id)) && !seen.has(id)) ledger.show(id, undefined, walkBeganAtMillis)
  })
  return { run, settle: () => creates.settle(20, random) }
}
