/** Holds the catalogue against the ledger, page after page. */
import { type Pet, pageOf } from "@petstore/conformance/expectations"
import { Client } from "./client.ts"
import { describePet, isAsGiven, type Ledger, mostPets, show } from "./ledger.ts"

/** What the catalogue is worth. */
export interface Findings {
  /** Acknowledged pets so far. */
  readonly acknowledged: number
  /** How many of them are there, once and unaltered. */
  readonly found: number
  readonly lost: number
  /** Ids or names that are there too often, and ids that were given twice. */
  readonly doubled: number
  readonly altered: number
}

/** Every pet of a query, in the order of its pages. */
const everyPet = async (client: Client, query: string): Promise<ReadonlyArray<Pet>> => {
  const found: Array<Pet> = []
  let target: string | undefined = `/v1/pets?limit=100${query}`
  while (target !== undefined) {
    const answer = await client.send({ target })
    found.push(...pageOf(answer))
    target = answer.link("next")
  }
  return found
}

/**
 * Walks through the whole catalogue and, by its status, through a part of it.
 * What is wrong is noted in the ledger. A catalogue that cannot be read to its end counts as altered.
 */
export const check = async (baseUrl: string, key: string, ledger: Ledger, status: string): Promise<Findings> => {
  try {
    return await walkAndJudge(baseUrl, key, ledger, status)
  } catch (cause) {
    ledger.problem(`the catalogue cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
    return { acknowledged: ledger.acknowledgedIds.length, found: 0, lost: 0, doubled: 0, altered: 1 }
  }
}

const walkAndJudge = async (baseUrl: string, key: string, ledger: Ledger, status: string): Promise<Findings> => {
  const client = new Client(baseUrl, key)
  try {
    const pets = await everyPet(client, "")
    const findings = judge(pets, ledger)
    const expected = pets.filter((pet) => pet.status === status).map(({ id }) => id)
    const ofStatus = (await everyPet(client, `&status=${status}`)).map(({ id }) => id)
    if (expected.join() !== ofStatus.join()) {
      ledger.problem(`${ofStatus.length} pets are listed as ${status}, but the whole list has ${expected.length}`)
    }
    return findings
  } finally {
    client.close()
  }
}

/** Judges a walk through the whole catalogue. */
export const judge = (pets: ReadonlyArray<Pet>, ledger: Ledger): Findings => {
  const byId = new Map<bigint, Pet>()
  const perWish = new Map<object, number>()
  const count = { found: 0, lost: 0, doubled: ledger.idsGivenTwice, altered: 0 }
  let last: bigint | undefined
  for (const pet of pets) {
    if (last !== undefined && pet.id < last) ledger.problem(`the pages are not in order: ${pet.id} after ${last}`)
    last = pet.id
    if (byId.has(pet.id)) {
      count.doubled += 1
      ledger.problem(`listed twice: ${describePet(pet)}`)
      continue
    }
    byId.set(pet.id, pet)
    const wish = ledger.wishOf(pet)
    if (wish === undefined || !isAsGiven(wish, pet)) {
      // An acknowledged one is judged below, by its id.
      if (ledger.wishOfId(pet.id) !== undefined) continue
      count.altered += 1
      ledger.problem(`nobody asked for ${describePet(pet)}`)
      continue
    }
    const soFar = (perWish.get(wish) ?? 0) + 1
    perWish.set(wish, soFar)
    if (soFar <= mostPets(wish)) continue
    count.doubled += 1
    ledger.problem(`${show(wish)} was sent ${wish.sent} times and is there ${soFar} times`)
  }
  for (const id of ledger.acknowledgedIds) {
    const pet = byId.get(id)
    const wish = ledger.wishOfId(id)
    if (wish === undefined || pet === undefined) {
      count.lost += 1
      ledger.problem(`lost: ${id}${wish === undefined ? "" : ` ${show(wish)}`}`)
    } else if (isAsGiven(wish, pet)) count.found += 1
    else {
      count.altered += 1
      ledger.problem(`${id} was acknowledged as ${show(wish)} of ${wish.given.categoryId} and is ${describePet(pet)}`)
    }
  }
  return { acknowledged: ledger.acknowledgedIds.length, ...count }
}
