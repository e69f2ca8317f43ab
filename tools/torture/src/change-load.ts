/** The corrections and removals of a round: with and without `If-Match`, and concurrent. */
import type { Client } from "@petstore/harness/client"
import { errorOf, type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"
import { type Change, changing, isSameValues } from "@petstore/model/rules"
import type { Callers } from "./callers.ts"
import type { Write } from "./ledger.ts"
import { beginningOf } from "./random-ledger.ts"

const correctors = 3
/** The number of clients that concurrently correct one pet with the same `If-Match`. */
const racers = 6

const jsonOf = (change: Exclude<Change, "remove">): string =>
  `{${[
    ...(change.name === undefined ? [] : [`"name":${JSON.stringify(change.name)}`]),
    ...(change.categoryId === undefined ? [] : [`"categoryId":${change.categoryId}`]),
    ...("status" in change ? [`"status":${JSON.stringify(change.status ?? null)}`] : []),
  ].join()}}`

/** A pet as a client read it, with its tag. */
interface Seen {
  readonly pet: Pet
  readonly tag: string
}

/** A change of a pet, which has to be as it was seen if `seen` is given. */
export const changeOf = (petId: bigint, change: Change, seen?: Seen): Write => ({
  what: `a ${change === "remove" ? "removal" : `correction to ${jsonOf(change).slice(0, 100)}`} of pet ${petId}`,
  petId,
  request: {
    path: `/pets/${petId}`,
    headers: seen === undefined ? [] : [`If-Match: ${seen.tag}`],
    ...(change === "remove" ? { method: "DELETE" } : { method: "PATCH", body: jsonOf(change) }),
  },
  rule: () => changing(change, (values) => seen === undefined || isSameValues(values, seen.pet)),
})

/** Reads a pet, and records the response. */
export const readPet = async (callers: Callers, client: Client, id: bigint, byQuery: boolean): Promise<Seen | undefined> => {
  const beganAtMillis = performance.now()
  const response = await callers.send(client, { path: byQuery ? `/pets?id=${id}` : `/pets/${id}` })
  if (response === undefined) return undefined
  const isMissing = response.status === 404 && errorOf(response).code === "pet_not_found"
  if (response.status !== 200 && !isMissing) {
    callers.refused(response, `reading acknowledged pet ${id}`)
    return undefined
  }
  const pet = isMissing ? undefined : byQuery ? pageOf(response)[0] : petOf(response.json)
  callers.ledger.show(id, pet, beganAtMillis)
  const tag = response.header("etag")
  return pet === undefined || tag === undefined ? undefined : { pet, tag }
}

export const changeLoad = (callers: Callers, random: Random) => {
  const { ledger } = callers

  /** Removes a pet that other clients are ordering, or corrects its status. */
  const changeOrdered = async (client: Client, pet: bigint, random: Random): Promise<void> => {
    if (random.chance(0.5)) return
    const change = random.chance(0.4) ? "remove" : ledger.newCorrection(random, true)
    await callers.write(client, changeOf(pet, change))
  }

  /** Any pet, but usually one that buyers also order. */
  const anyPet = (random: Random): Pet | undefined => random.pickAny(random.chance(0.6) ? ledger.wantedNow : ledger.pets)

  const correct = callers.keepCalling(25, async (client, random) => {
    const { id } = anyPet(random) ?? {}
    if (id === undefined) return
    const change = random.chance(0.12) ? "remove" : ledger.newCorrection(random)
    const seen = random.chance(0.4) ? await readPet(callers, client, id, random.chance(0.5)) : undefined
    const outcome = await callers.write(client, changeOf(id, change, seen))
    if (outcome === "done" && change !== "remove" && change.name !== undefined && random.chance(0.3))
      await findByName(client, id, change.name)
  })

  /** Finds a pet by its new name (sentence 4.1.44), unless it has lost that name. */
  const findByName = async (client: Client, id: bigint, name: string): Promise<void> => {
    const beganAtMillis = performance.now()
    const response = await callers.send(client, { path: `/pets?name=${encodeURIComponent(beginningOf(name))}&id=${id}` })
    if (response === undefined) return
    if (response.status !== 200) return callers.refused(response, `searching for the name of pet ${id}`)
    const [found] = pageOf(response)
    if (found !== undefined) ledger.show(id, found, beganAtMillis)
    else ledger.see(id, ({ pet }) => pet?.name !== name, beganAtMillis, `pet ${id} was not found by the name ${name}`)
  }

  /** Several clients correct one pet with the same tag. By the rules at most one of them succeeds. */
  const race = callers.repeat(50, 200, async (random) => {
    const { id } = anyPet(random) ?? {}
    if (id === undefined) return
    using reader = callers.newClient()
    const seen = await readPet(callers, reader, id, true)
    if (seen === undefined) return
    await callers.atOnce(racers, (client) =>
      callers.write(client, changeOf(id, { ...ledger.newCorrection(random, false), name: ledger.newName(random) }, seen)),
    )
  })
  return { run: () => callers.run(random, [correctors, correct], [1, race]), changeOrdered }
}

export type ChangeLoad = ReturnType<typeof changeLoad>
