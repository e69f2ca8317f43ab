/** Compares the catalogue, the orders and all that clients were told with the feed of changes. */
import { expectSorted, idsOf, isFoundBy, withId } from "@petstore/conformance/catalogue"
import { ordersOf } from "@petstore/conformance/store-orders"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { members } from "@petstore/harness/exact-json"
import { type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import { History, type Row, textOf } from "./history.ts"
import type { Ledger } from "./ledger.ts"
import { beginningOf } from "./random-ledger.ts"
import type { Stage } from "./stage.ts"

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

/** How many pets and orders, and changes of them, were acknowledged so far, and how many problems of each kind there were. */
export const findingsOf = ({ pets, orders, counts }: Ledger) => ({
  acknowledged: pets.length + orders.length,
  orders: orders.length,
  ...counts,
})

export type Findings = ReturnType<typeof findingsOf>

/** Reads the feed, the catalogue, filtered parts of it and all orders, while nothing is written. */
export const check = async ({ service, key, ledger, feed }: Stage, random: Random): Promise<void> => {
  try {
    using client = new Client(service.url, key)
    const history = new History(await feed.readAll(client, ledger), ledger.sent, ledger.problem)
    const pets = await everyPet(client, "")
    compare(pets, history.pets, ledger)
    compare(await walk(client, "/v1/store/orders?limit=100", ordersOf), history.orders, ledger)
    ledger.explain(history)
    for (const view of viewsOf(pets, random)) await checkView(client, pets, view, ledger)
    await checkInventory(client, pets, ledger)
  } catch (cause) {
    ledger.problem(`the catalogue cannot be read: ${messageOf(cause)}`, "altered")
  }
}

/** Checks that a complete list is sorted, and has exactly the rows with which the feed ends. */
const compare = (rows: ReadonlyArray<Row>, ends: ReadonlyMap<bigint, Row>, { problem }: Ledger): void => {
  expectSorted(rows)
  const listed = new Map(rows.map((row) => [row.id, row]))
  for (const id of new Set([...ends.keys(), ...listed.keys()])) {
    const [row, end] = [listed.get(id), ends.get(id)]
    const kind = row === undefined ? "lost" : end === undefined ? "resurrected" : "altered"
    if (textOf(row) !== textOf(end)) problem(`${textOf(row)} is listed, but the feed ends with ${textOf(end)}`, kind)
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
const checkView = async (client: Client, pets: ReadonlyArray<Pet>, { query, has }: View, { problem }: Ledger): Promise<void> => {
  const listed = await everyPet(client, query)
  const ids = idsOf(listed)
  const inOrder = query.includes("desc") ? ids.toReversed() : ids
  const expected = pets.filter(has)
  if (inOrder.join() !== idsOf(expected).join()) {
    const missing = expected.filter(({ id }) => !ids.includes(id)).map(textOf)
    const excess = listed.filter(({ id }) => withId(expected, id).length === 0).map(textOf)
    problem(
      `${query} lists ${ids.length} pets instead of ${expected.length}; missing: ${missing.slice(0, 3).join("; ")}; unexpected: ${excess.slice(0, 3).join("; ")}`,
    )
  }
}

const checkInventory = async (client: Client, pets: ReadonlyArray<Pet>, { problem }: Ledger): Promise<void> => {
  const counts = members((await client.send({ path: "/store/inventory" })).json) ?? {}
  for (const name of ["available", "pending", "sold", "withoutStatus", "total"]) {
    const count = pets.filter(({ status = "withoutStatus" }) => name === "total" || status === name).length
    if (counts[name] !== BigInt(count)) problem(`the inventory counts ${counts[name]} as ${name}, but ${count} are listed`)
  }
}
