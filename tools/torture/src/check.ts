/** Holds the catalogue and the orders against the ledger, page after page. */
import { type Order, ordersOf } from "@petstore/conformance/store-orders"
import type { Answer } from "@petstore/harness/answer"
import { Client } from "@petstore/harness/client"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import { type Book, type Intent, type Known, mostOf } from "./book.ts"
import { isAsGiven, type KnownOrder, type KnownPet, type Ledger } from "./ledger.ts"
import { contradictions, heldTwice } from "./order-checker.ts"
import { messageOf } from "./tolerance.ts"

/** Everything of a list, in the order of its pages. */
const walk = async <A>(client: Client, first: string, rowsOf: (page: Answer) => ReadonlyArray<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const { answer } of pagesFrom(client, first)) found.push(...rowsOf(answer))
  return found
}

const everyPet = (client: Client, query: string) => walk(client, `/v1/pets?limit=100${query}`, pageOf)

/** What a walk through pets, orders or both is worth. */
export interface Findings {
  /** What was acknowledged so far. */
  readonly acknowledged: number
  /** How many of them are there, once and unaltered. */
  readonly found: number
  readonly lost: number
  /** Ids, names or orders of a pet that are there too often, and ids that were given twice. */
  readonly doubled: number
  readonly altered: number
}

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
export const check = async (baseUrl: string, key: string, ledger: Ledger, status: string): Promise<AllFindings> => {
  const orders = ledger.orders.known.length
  try {
    using client = new Client(baseUrl, key)
    const pets = await everyPet(client, "")
    const expected = pets.filter((pet) => pet.status === status).map(({ id }) => id)
    const ofStatus = (await everyPet(client, `&status=${status}`)).map(({ id }) => id)
    if (expected.join() !== ofStatus.join()) {
      ledger.problem(`${ofStatus.length} pets are listed as ${status}, but the whole list has ${expected.length}`)
    }
    const all = [checkPets(pets, ledger), checkOrders(pets, await walk(client, "/v1/store/orders?limit=100", ordersOf), ledger)]
    const sum = (what: keyof Findings): number => all.reduce((total, findings) => total + findings[what], 0)
    return {
      acknowledged: sum("acknowledged"),
      orders,
      found: sum("found"),
      lost: sum("lost"),
      doubled: sum("doubled"),
      altered: sum("altered"),
      stale: ledger.stale,
    }
  } catch (cause) {
    ledger.problem(`the catalogue cannot be read: ${messageOf(cause)}`)
    const acknowledged = ledger.pets.known.length + orders
    return { acknowledged, orders, found: 0, lost: 0, doubled: 0, altered: 1, stale: ledger.stale }
  }
}

type Count = Record<"lost" | "doubled" | "altered", number>

/** Adds to what was found, with a sentence each. */
const counting = (ledger: Ledger, doubled: number) => {
  const count: Count = { lost: 0, doubled, altered: 0 }
  const find = (what: keyof Count, problems: ReadonlyArray<string>): void => {
    count[what] += problems.length
    for (const problem of problems) ledger.problem(problem)
  }
  return { count, find }
}

/** Checks a whole list: its order, that it has each row once, and everything that was acknowledged. Gives the rows by their ids, and how many were found. */
const checkList = <Given, Row extends { readonly id: bigint }>(
  rows: ReadonlyArray<Row>,
  book: Book<Given, Row>,
  isKept: (known: Known<Given, Row>, row: Row) => boolean,
  { problem, find }: { problem: Ledger["problem"]; find: ReturnType<typeof counting>["find"] },
) => {
  const byId = new Map<bigint, Row>()
  let last: bigint | undefined
  for (const row of rows) {
    if (last !== undefined && row.id < last) problem(`the pages are not in order: ${row.id} after ${last}`)
    last = row.id
    if (byId.has(row.id)) find("doubled", [`listed twice: ${book.describe(row)}`])
    else byId.set(row.id, row)
  }
  let found = 0
  for (const known of book.known) {
    const row = byId.get(known.first.id)
    if (row === undefined) find("lost", [`lost: ${book.describe(known.shown)}`])
    else if (isKept(known, row)) found += 1
    else find("altered", [`what was acknowledged as ${book.describe(known.shown)} is ${book.describe(row)}`])
  }
  return { byId, found }
}

const isPetKept = ({ intent, asked }: KnownPet, pet: Pet): boolean => isAsGiven(pet, intent.given, asked)

/** Checks a walk through the whole catalogue. */
export const checkPets = (pets: ReadonlyArray<Pet>, ledger: Ledger): Findings => {
  const { count, find } = counting(ledger, ledger.pets.idsGivenTwice)
  const { byId, found } = checkList(pets, ledger.pets, isPetKept, { problem: (text) => ledger.problem(text), find })
  const perIntent = new Map<Intent<unknown>, number>()
  for (const pet of byId.values()) {
    const intent = ledger.petIntentOf(pet)
    const known = ledger.pets.knownOf(pet.id)
    if (intent === undefined || !isAsGiven(pet, intent.given, known?.asked)) {
      if (known === undefined) find("altered", [`no request was sent for ${ledger.pets.describe(pet)}`])
      continue
    }
    const soFar = (perIntent.get(intent) ?? 0) + 1
    perIntent.set(intent, soFar)
    if (soFar > mostOf(intent)) {
      find("doubled", [`${ledger.pets.show(intent.given)} was sent ${intent.sent} times and is there ${soFar} times`])
    }
  }
  return { acknowledged: ledger.pets.known.length, found, ...count }
}

/** An order that was shown as ended stays as it is, and one that has ended since was asked to. */
const isOrderKept = ({ first, shown, asked }: KnownOrder, { petId, status, createdAt, updatedAt }: Order): boolean => {
  if (petId !== first.petId || createdAt !== first.createdAt) return false
  if (shown.status !== "placed") return status === shown.status && updatedAt === shown.updatedAt && asked.has(status)
  return status === "placed" || asked.has(status)
}

/** Checks a walk through all pets and all orders, of a time when there are no writes. */
export const checkOrders = (pets: ReadonlyArray<Pet>, orders: ReadonlyArray<Order>, ledger: Ledger): Findings => {
  const { count, find } = counting(ledger, ledger.orders.idsGivenTwice)
  const { byId, found } = checkList(orders, ledger.orders, isOrderKept, { problem: (text) => ledger.problem(text), find })
  const store = {
    pets: pets.map(({ id, status }) => ({ id, status })),
    orders: [...byId.values()].map(({ createdAt, updatedAt, ...order }) => ({
      ...order,
      createdAt: Date.parse(createdAt),
      updatedAt: Date.parse(updatedAt),
    })),
  }
  const twice = heldTwice(store)
  find("doubled", twice)
  find(
    "altered",
    contradictions(store).filter((problem) => !twice.includes(problem)),
  )
  const ofPet = Map.groupBy(byId.values(), ({ petId }) => petId)
  for (const [pet, { length }] of ofPet) {
    const most = ledger.mostOrders(pet)
    if (length > most) find("doubled", [`pet ${pet} has ${length} orders, and at most ${most} were asked for`])
  }
  for (const { id, status } of pets) {
    const given = ledger.pets.knownOf(id)?.first
    if (given !== undefined && !ofPet.has(id) && status !== given.status) {
      find("altered", [`pet ${id} is ${status}, was given as ${given.status}, and has no order`])
    }
  }
  for (const order of byId.values()) {
    // A caller who ends an order has been told its id.
    if (order.status !== "placed" && ledger.orders.knownOf(order.id) === undefined) {
      find("altered", [`no request could end ${ledger.orders.describe(order)}`])
    }
  }
  return { acknowledged: ledger.orders.known.length, found, ...count }
}
