/** Compares the catalogue and the orders with the model, page by page. */
import { idsOf, isFoundBy, withId } from "@petstore/conformance/catalogue"
import { type Order, ordersOf } from "@petstore/conformance/store-orders"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { members } from "@petstore/harness/exact-json"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import type { ClientsModel, KnownOrder, KnownPet } from "@petstore/model/clients"
import { type Creations, type Intent, type Known, mostOf } from "@petstore/model/creations"
import { isSameValues } from "@petstore/model/rules"
import { beginningOf } from "./random-model.ts"

const walk = async <A>(
  client: Client,
  first: string,
  rowsOf: (page: WireResponse) => ReadonlyArray<A>,
): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const { response } of pagesFrom(client, first)) found.push(...rowsOf(response))
  return found
}

const everyPet = (client: Client, query: string) => walk(client, `/v1/pets?limit=100${query}`, pageOf)

/** The counts of a check of all pets and orders, before it begins. */
export const nothingFound = {
  /** Acknowledged rows, and those of them that exist exactly once and unaltered. */
  acknowledged: 0,
  found: 0,
  lost: 0,
  /** Duplicate ids and names, surplus orders for a pet, and ids that were assigned twice. */
  doubled: 0,
  altered: 0,
  /** Removed pets that a response showed. */
  resurrected: 0,
  /** Acknowledged orders. */
  orders: 0,
  /** Acknowledged corrections and removals. */
  changes: 0,
  /** Stale responses so far. */
  stale: 0,
}

export type AllFindings = Readonly<typeof nothingFound>

/** The findings in pets alone, or in orders alone. */
export type Findings = Omit<AllFindings, "orders" | "changes" | "stale">

/** Walks through the catalogue, filtered parts of it and all orders. A catalogue that is not fully readable counts as altered. */
export const check = async (baseUrl: string, key: string, model: ClientsModel, random: Random): Promise<AllFindings> => {
  const orders = model.orders.known.length
  const known = { ...nothingFound, orders, changes: model.changes, stale: model.stale }
  try {
    using client = new Client(baseUrl, key)
    const pets = await everyPet(client, "")
    for (const view of viewsOf(pets, random)) await checkView(client, pets, view, model)
    await checkInventory(client, pets, model)
    const ofPets = checkPets(pets, model)
    const ofOrders = checkOrders(pets, await walk(client, "/v1/store/orders?limit=100", ordersOf), model)
    const sums = Object.entries(ofPets).map(([what, count]) => [what, count + ofOrders[what as keyof Findings]]) // Safe: the type of `ofPets`.
    return { ...known, ...Object.fromEntries(sums) }
  } catch (cause) {
    model.problem(`the catalogue cannot be read: ${messageOf(cause)}`)
    return { ...known, acknowledged: model.pets.known.length + orders, altered: 1 }
  }
}

/** A query and the pets that belong in its list. */
interface View {
  readonly query: string
  readonly has: (pet: Pet) => boolean
}

/** Every filter, with values of existing pets: usually the latest ones, which were changed most recently. */
const viewsOf = (pets: ReadonlyArray<Pet>, random: Random): ReadonlyArray<View> => {
  const status = random.pick(["available", "pending", "sold"])
  const chosen = random.pickAny(pets.slice(random.chance(0.7) ? -200 : 0))
  const ofStatus = { query: `&status=${status}`, has: (pet: Pet) => pet.status === status }
  const descending = { query: `&order=desc&status=${status}`, has: ofStatus.has }
  if (chosen === undefined) return [ofStatus]
  const { name, categoryId } = chosen
  const beginning = beginningOf(name)
  return [
    random.chance(0.7) ? ofStatus : descending,
    { query: `&categoryId=${categoryId}`, has: (pet) => pet.categoryId === categoryId },
    { query: `&name=${encodeURIComponent(beginning)}`, has: (pet) => isFoundBy(pet.name, beginning) },
  ]
}

/** Checks that a filtered list has exactly the matching pets, each once, and in order. */
const checkView = async (client: Client, pets: ReadonlyArray<Pet>, { query, has }: View, model: ClientsModel): Promise<void> => {
  const listed = await everyPet(client, query)
  const ids = idsOf(listed)
  const inOrder = query.includes("desc") ? ids.toReversed() : ids
  const expected = pets.filter(has)
  if (inOrder.join() !== idsOf(expected).join()) {
    const missing = expected.filter(({ id }) => !ids.includes(id)).map(model.pets.describe)
    const excess = listed.filter(({ id }) => withId(expected, id).length === 0).map(model.pets.describe)
    model.problem(
      `${query} lists ${ids.length} pets instead of ${expected.length}; missing: ${missing.slice(0, 3).join("; ")}; unexpected: ${excess.slice(0, 3).join("; ")}`,
    )
  }
}

const checkInventory = async (client: Client, pets: ReadonlyArray<Pet>, model: ClientsModel): Promise<void> => {
  const counts = members((await client.send({ path: "/store/inventory" })).json) ?? {}
  for (const name of ["available", "pending", "sold", "withoutStatus", "total"]) {
    const count = pets.filter(({ status = "withoutStatus" }) => name === "total" || status === name).length
    if (counts[name] !== BigInt(count)) model.problem(`the inventory counts ${counts[name]} as ${name}, but ${count} are listed`)
  }
}

/** Checks that a full list is sorted and has each acknowledged row once. Also returns a function that records more findings. */
const checkList = <Given, Row extends { readonly id: bigint }>(
  rows: ReadonlyArray<Row>,
  book: Creations<Given, Row>,
  isKept: (known: Known<Given, Row>, row: Row | undefined) => boolean,
  { problem }: ClientsModel,
) => {
  const findings = { acknowledged: book.known.length, found: 0, lost: 0, doubled: book.idsGivenTwice, altered: 0, resurrected: 0 }
  const find = (what: "lost" | "doubled" | "altered", ...problems: ReadonlyArray<string>): void => {
    findings[what] += problems.length
    for (const text of problems) problem(text)
  }
  const byId = new Map<bigint, Row>()
  let last: bigint | undefined
  for (const row of rows) {
    if (last !== undefined && row.id < last) problem(`the pages are not in order: ${row.id} after ${last}`)
    last = row.id
    if (byId.has(row.id)) find("doubled", `listed twice: ${book.describe(row)}`)
    else byId.set(row.id, row)
  }
  for (const known of book.known) {
    const row = byId.get(known.first.id)
    if (isKept(known, row)) findings.found += 1
    else if (row === undefined) find("lost", `lost: ${book.describe(known.shown)}`)
    else find("altered", `altered: acknowledged as ${book.describe(known.shown)}, now ${book.describe(row)}`)
  }
  return { byId, findings, find }
}

export const checkPets = (pets: ReadonlyArray<Pet>, model: ClientsModel): Findings => {
  const now = model.now()
  const isKept = (known: KnownPet, pet: Pet | undefined): boolean => model.isPossible(known, pet, now)
  const { byId, findings, find } = checkList(pets, model.pets, isKept, model)
  const perIntent = new Map<Intent<unknown>, number>()
  for (const pet of byId.values()) {
    const intent = model.petsByName.get(pet.name)
    const known = model.pets.knownOf(pet.id)
    if (known !== undefined && model.isGone(pet.id, now)) model.showPet(known, pet, now)
    if (intent === undefined || (known === undefined && !isSameValues(pet, intent.given))) {
      if (known === undefined) find("altered", `no request was sent for pet ${model.pets.describe(pet)}`)
      continue
    }
    const soFar = (perIntent.get(intent) ?? 0) + 1
    perIntent.set(intent, soFar)
    if (soFar > mostOf(intent)) {
      find("doubled", `${model.pets.show(intent.given)} was sent ${intent.sent} times and exists ${soFar} times`)
    }
  }
  return { ...findings, resurrected: model.resurrected.size }
}

/** Whether an order has kept what never changes. A closed order stays as it is. */
const isOrderKept = ({ first, shown }: KnownOrder, order: Order | undefined): boolean => {
  if (order === undefined) return false
  const { petId, status, createdAt, updatedAt } = order
  if (petId !== first.petId || createdAt !== first.createdAt) return false
  if (status === "placed" && updatedAt !== createdAt) return false
  return shown.status === "placed" || (status === shown.status && updatedAt === shown.updatedAt)
}

/** Checks a walk through all pets and all orders during which nothing was written. */
export const checkOrders = (pets: ReadonlyArray<Pet>, orders: ReadonlyArray<Order>, model: ClientsModel): Findings => {
  const { byId, findings, find } = checkList(orders, model.orders, isOrderKept, model)
  const petsById = new Map(pets.map((pet) => [pet.id, pet]))
  const ofPet = Map.groupBy(byId.values(), ({ petId }) => petId)
  for (const [id, ordersOf] of ofPet) {
    if (model.pets.knownOf(id) === undefined)
      find("altered", ...ordersOf.map((one) => `no pet can have order ${model.orders.describe(one)}`))
  }
  // Orders that are lost or altered by themselves were counted above.
  const isCounted = new Set(
    model.orders.known.flatMap((known) => (isOrderKept(known, byId.get(known.first.id)) ? [] : [known.first.petId])),
  )
  for (const { first } of model.pets.known) {
    const { id } = first
    const pet = petsById.get(id)
    const ordersOf = ofPet.get(id) ?? []
    const judged = isCounted.has(id) ? undefined : model.judge(id, pet, ordersOf)
    if (judged === undefined) continue
    const all = ordersOf.map(model.orders.describe).join("; ")
    find(judged, `pet ${pet === undefined ? id : model.pets.describe(pet)} cannot have these orders: ${all}`)
  }
  return findings
}
