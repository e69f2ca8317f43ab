/** The load of one round: several clients create pets, some with repeated or partial requests, and two clients read. */
import { setTimeout as sleep } from "node:timers/promises"
import { newPetJson } from "@petstore/conformance/catalogue"
import { pageOf, petOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { PetIntent } from "@petstore/model/clients"
import type { Callers } from "./callers.ts"
import { readPet } from "./change-load.ts"
import { creating, keyHeaders } from "./creates.ts"

const creators = 6
/** The number of concurrent create requests, each on a new connection. */
const burstSize = 16

export const requestOf = (intent: PetIntent): Request => ({
  method: "POST",
  path: "/pets",
  body: newPetJson(intent.given),
  headers: keyHeaders(intent),
})

export const petLoad = (callers: Callers, random: Random) => {
  const { model } = callers
  let lastAcknowledgedAt = performance.now()
  let longestOutageMillis = 0
  const creates = creating(callers, model.pets, {
    requestOf,
    sending: (intent) => model.pets.sending(intent),
    created: (intent, response) => {
      model.acknowledgePet(intent, petOf(response.json))
      const now = performance.now()
      longestOutageMillis = Math.max(longestOutageMillis, now - lastAcknowledgedAt)
      lastAcknowledgedAt = now
    },
  })

  /** Returns the longest time without a 201, in ms. */
  const run = async (): Promise<number> => {
    lastAcknowledgedAt = performance.now()
    await callers.run(random, [creators, create], [1, burst], [1, read], [1, page])
    return Math.max(longestOutageMillis, performance.now() - lastAcknowledgedAt)
  }

  const create = callers.keepCalling(30, async (client, random) => {
    const intent = model.newPet(random)
    if (random.chance(0.08)) await callers.sendPart(client, requestOf(intent), 0.5 + random.next() / 2)
    else await creates.persist(client, intent, 0.1, random)
  })

  const burst = async (random: Random): Promise<void> => {
    await sleep(random.integer(0, 400))
    if (callers.isStopping) return
    const shared = model.newPet(random)
    await callers.atOnce(burstSize, (client, index) =>
      // Half of the clients send the same request, if it has a key. One of them creates the pet.
      creates.attempt(client, index % 2 === 0 && shared.idempotencyKey !== undefined ? shared : model.newPet(random)),
    )
  }

  const read = callers.repeat(5, 30, async (random) => {
    const known = random.pickAny(random.chance(0.5) ? model.pets.known : model.wantedNow)
    if (known === undefined) return
    using client = callers.newClient()
    await readPet(callers, client, known, random.chance(0.5))
  })

  /** Walks through the changing catalogue. Pets that existed when the walk began appear once (sentence 4.1.18). */
  const page = callers.repeat(0, 0, async (random) => {
    const isDescending = random.chance(0.5)
    const isBefore = (one: bigint, other: bigint): boolean => (isDescending ? one > other : one < other)
    const there = model.pets.known.length
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
          const known = model.pets.knownOf(id)
          if (known !== undefined) model.showPet(known, pet, beganAtMillis)
          if (seen.has(id) || (last !== undefined && isBefore(id, last)))
            model.problem(`a walk saw pet ${id} twice or out of order`)
          seen.add(id)
          last = id
        }
        target = response.link("next")
      } else if (response !== undefined) callers.refused(response)
      else {
        client.close()
        // A cursor stays valid after the service that issued it has stopped.
        client = callers.newClient()
      }
      await sleep(5)
    }
    client.close()
    const end = target === undefined ? undefined : last
    const known = model.pets.known.slice(0, target !== undefined && last === undefined ? 0 : there)
    const missed = known
      .map(({ first }) => first.id)
      .filter((id) => (end === undefined || !isBefore(end, id)) && !seen.has(id) && !model.mayBeRemoved(id))
    if (missed.length > 0) model.problem(`a walk missed ${missed.length} pets, the first of them ${missed[0]}`)
  })
  return { run, settle: () => creates.settle(20, random) }
}
