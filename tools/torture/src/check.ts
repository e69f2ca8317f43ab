/** Holds the catalogue and the orders against the ledger, page after page. */

import { ordersOf } from "@petstore/conformance/store-orders"
import type { Answer } from "@petstore/harness/answer"
import { Client } from "@petstore/harness/client"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import { describePet, isAsGiven, type Ledger, mostPets, show } from "./ledger.ts"
import { checkOrders, type Findings } from "./order-check.ts"
import type { OrderLedger } from "./order-ledger.ts"
import { messageOf } from "./tolerance.ts"

/** Everything of a list, in the order of its pages. */
const walk = async <A>(client: Client, first: string, rowsOf: (page: Answer) => ReadonlyArray<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const { answer } of pagesFrom(client, first)) found.push(...rowsOf(answer))
  return found
}

const everyPet = (client: Client, query: string) => walk(client, `/v1/pets?limit=100${query}`, pageOf)

/** The findings of pets and orders together. */
export interface AllFindings extends Findings {
  /** How many of what was acknowledged are orders. */
  readonly orders: number
  /** Answers so far that were older than the moment in which they were asked for. */
  readonly stale: number
}

/**
 * Walks through the whole catalogue, by its status through a part of it, and through all orders.
 * What is wrong is noted in the ledger. A catalogue that cannot be read to its end counts as altered.
 */
export const check = async (
  baseUrl: string,
  key: string,
  ledger: Ledger,
  orders: OrderLedger,
  status: string,
): Promise<AllFindings> => {
  try {
    return await walkAndCheck(baseUrl, key, ledger, orders, status)
  } catch (cause) {
    ledger.problem(`the catalogue cannot be read: ${messageOf(cause)}`)
    const acknowledged = ledger.acknowledgedIds.length + orders.known.length
    return { acknowledged, orders: orders.known.length, found: 0, lost: 0, doubled: 0, altered: 1, stale: ledger.stale }
  }
}

const walkAndCheck = async (
  baseUrl: string,
  key: string,
  ledger: Ledger,
  book: OrderLedger,
  status: string,
): Promise<AllFindings> => {
  using client = new Client(baseUrl, key)
  const pets = await everyPet(client, "")
  const findings = checkPets(pets, ledger)
  const expected = pets.filter((pet) => pet.status === status).map(({ id }) => id)
  const ofStatus = (await everyPet(client, `&status=${status}`)).map(({ id }) => id)
  if (expected.join() !== ofStatus.join()) {
    ledger.problem(`${ofStatus.length} pets are listed as ${status}, but the whole list has ${expected.length}`)
  }
  const ofOrders = checkOrders(pets, await walk(client, "/v1/store/orders?limit=100", ordersOf), ledger, book)
  return {
    acknowledged: findings.acknowledged + ofOrders.acknowledged,
    orders: ofOrders.acknowledged,
    found: findings.found + ofOrders.found,
    lost: findings.lost + ofOrders.lost,
    doubled: findings.doubled + ofOrders.doubled,
    altered: findings.altered + ofOrders.altered,
    stale: ledger.stale,
  }
}

/** Checks a walk through the whole catalogue. */
export const checkPets = (pets: ReadonlyArray<Pet>, ledger: Ledger): Findings => {
  const byId = new Map<bigint, Pet>()
  const perIntent = new Map<object, number>()
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
    const intent = ledger.intentOf(pet)
    if (intent === undefined || !isAsGiven(intent, pet)) {
      // An acknowledged one is checked below, by its id.
      if (ledger.intentOfId(pet.id) !== undefined) continue
      count.altered += 1
      ledger.problem(`nobody asked for ${describePet(pet)}`)
      continue
    }
    const soFar = (perIntent.get(intent) ?? 0) + 1
    perIntent.set(intent, soFar)
    if (soFar <= mostPets(intent)) continue
    count.doubled += 1
    ledger.problem(`${show(intent)} was sent ${intent.sent} times and is there ${soFar} times`)
  }
  for (const id of ledger.acknowledgedIds) {
    const pet = byId.get(id)
    const intent = ledger.intentOfId(id)
    if (intent === undefined || pet === undefined) {
      count.lost += 1
      ledger.problem(`lost: ${id}${intent === undefined ? "" : ` ${show(intent)}`}`)
    } else if (isAsGiven(intent, pet)) count.found += 1
    else {
      count.altered += 1
      ledger.problem(`${id} was acknowledged as ${show(intent)} of ${intent.given.categoryId} and is ${describePet(pet)}`)
    }
  }
  return { acknowledged: ledger.acknowledgedIds.length, ...count }
}
