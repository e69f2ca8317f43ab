/** Holds the orders of the service, and the statuses of its pets, against the ledger. */

import type { Closing, Order } from "@petstore/conformance/store-orders"
import type { Pet } from "@petstore/harness/expectations"
import type { Ledger } from "./ledger.ts"
import { contradictions, heldTwice, lossOf } from "./order-checker.ts"
import { describeOrder, type OrderLedger, statusAfter } from "./order-ledger.ts"

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

/** Checks a walk through all pets and all orders, of a time when nobody writes. */
export const checkOrders = (
  pets: ReadonlyArray<Pet>,
  orders: ReadonlyArray<Order>,
  ledger: Ledger,
  book: OrderLedger,
): Findings => {
  const count = { lost: 0, doubled: book.idsGivenTwice, altered: 0 }
  const find = (what: keyof typeof count, problems: ReadonlyArray<string>): void => {
    count[what] += problems.length
    for (const problem of problems) ledger.problem(problem)
  }
  const store = {
    pets: pets.map(({ id, status }) => ({ id, status })),
    orders: orders.map(({ createdAt, updatedAt, ...order }) => ({
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
  for (const [index, { id }] of orders.entries()) {
    const before = orders[index - 1]
    if (before !== undefined && before.id > id) ledger.problem(`the pages of orders are not in order: ${id} after ${before.id}`)
  }

  const ofPet = Map.groupBy(orders, ({ petId }) => petId)
  for (const [pet, { length }] of ofPet) {
    const most = book.mostOrders(pet)
    if (length > most) find("doubled", [`pet ${pet} has ${length} orders, and at most ${most} were asked for`])
  }
  for (const { id, status } of pets) {
    const given = ledger.intentOfId(id)?.given
    if (given !== undefined && !ofPet.has(id) && status !== given.status) {
      find("altered", [`pet ${id} is ${status}, was given as ${given.status}, and has no order`])
    }
  }

  const kept = new Map(orders.map((order) => [order.id, order]))
  let found = 0
  for (const { placed, shown, asked } of book.known) {
    const order = kept.get(placed.id)
    const loss = lossOf(shown, order)
    if (loss !== undefined) find(order === undefined ? "lost" : "altered", [loss])
    else if (order === undefined) continue
    else if (order.createdAt !== placed.createdAt || (shown.status !== "placed" && order.updatedAt !== shown.updatedAt)) {
      find("altered", [`an order was acknowledged as ${describeOrder(shown)} and is ${describeOrder(order)}`])
    } else if (order.status !== "placed" && !endsOf(asked).includes(order.status)) {
      find("altered", [`nobody asked for the end of ${describeOrder(order)}`])
    } else found += 1
  }
  for (const order of orders) {
    // Whoever ends an order has been told its id.
    if (order.status !== "placed" && book.knownOf(order.id) === undefined) {
      find("altered", [`nobody could ask for the end of ${describeOrder(order)}`])
    }
  }
  return { acknowledged: book.known.length, found, ...count }
}

const endsOf = (asked: ReadonlySet<Closing>): ReadonlyArray<string> => [...asked].map((closing) => statusAfter[closing])
