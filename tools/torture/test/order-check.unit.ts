/** The check of orders must detect every kind of fault. Otherwise a successful run would not prove anything. */

import { type Closing, type Order, statusAfter } from "@petstore/conformance/store-orders"
import type { Pet } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import { describe, expect, it } from "vitest"
import { checkOrders } from "../src/check.ts"
import { Ledger, type OrderIntent } from "../src/ledger.ts"

const timestamp = (second: number): string => `2026-01-01T00:00:0${second}.000Z`

/**
 * A ledger with three available pets, and matching lists. The first pet has been sold, the second has been freed and ordered
 * again, and the third has never been ordered.
 */
const agreeing = () => {
  const ledger = new Ledger()
  const random = new Random(1)
  for (let id = 1n; id <= 3n; ) {
    const intent = ledger.newPet(random)
    if (intent.given.status !== "available") continue
    ledger.pets.sending(intent)
    ledger.acknowledgePet(intent, { id, ...intent.given })
    id += 1n
  }
  const place = (id: bigint, pet: bigint, given?: OrderIntent): Order => {
    const intent = given ?? ledger.newOrderOf(pet, random)
    const order = { id, petId: pet, status: "placed", createdAt: timestamp(1), updatedAt: timestamp(1) }
    ledger.sendingOrder(intent)
    ledger.acknowledgeOrder(intent, order)
    return order
  }
  const end = (order: Order, closing: Closing): Order => {
    const ended = { ...order, status: statusAfter[closing], updatedAt: timestamp(2) }
    const known = ledger.orders.knownOf(order.id)
    if (known === undefined) throw new Error("the order is unknown")
    ledger.closingOrder(known, closing)
    ledger.showOrder(known, ended)
    return ended
  }
  const orders = [end(place(1n, 1n), "complete"), end(place(2n, 2n), "cancel"), place(3n, 2n)] as const
  const pets = ["sold", "pending", "available"].map((status, index): Pet => {
    const id = BigInt(index + 1)
    return { id, name: "any", categoryId: 1n, status }
  })
  const check = (found: ReadonlyArray<Order>, statuses = pets) => checkOrders(statuses, found, ledger)
  return { ledger, random, place, orders, pets, check }
}

const well = { acknowledged: 3, found: 3, lost: 0, doubled: 0, altered: 0, resurrected: 0 }

const withStatus = (pets: ReadonlyArray<Pet>, id: bigint, status: string): Array<Pet> =>
  pets.map((pet) => (pet.id === id ? { ...pet, status } : pet))

describe("checkOrders", () => {
  it("accepts lists with the acknowledged orders", () => {
    const { ledger, check, orders } = agreeing()
    expect(check(orders)).toStrictEqual(well)
    expect(ledger.takeProblems()).toStrictEqual([])
  })

  it("allows one order for a request whose response was lost", () => {
    const { ledger, random, check, orders, pets } = agreeing()
    const lost = { id: 4n, petId: 3n, status: "placed", createdAt: timestamp(3), updatedAt: timestamp(3) }
    const nobodyAsked = check([...orders, lost], withStatus(pets, 3n, "pending"))
    expect(nobodyAsked).toStrictEqual({ ...well, doubled: 1 })
    ledger.sendingOrder(ledger.newOrderOf(3n, random))
    expect(check([...orders, lost], withStatus(pets, 3n, "pending"))).toStrictEqual(well)
  })

  it("allows a closed order if the response to the closing request was lost", () => {
    const { ledger, check, orders, pets } = agreeing()
    const [first, second, third] = orders
    const ended = [first, second, { ...third, status: "completed", updatedAt: timestamp(4) }]
    expect(check(ended, withStatus(pets, 2n, "sold"))).toStrictEqual({ ...well, found: 2, altered: 1 })
    const known = ledger.orders.knownOf(3n)
    if (known !== undefined) ledger.closingOrder(known, "complete")
    expect(check(ended, withStatus(pets, 2n, "sold"))).toStrictEqual(well)
  })

  it("detects a missing order", () => {
    const { check, orders, pets } = agreeing()
    expect(check(orders.slice(0, 2), withStatus(pets, 2n, "available"))).toStrictEqual({ ...well, found: 2, lost: 1 })
  })

  it("detects an order for a pet that is already sold", () => {
    const { place, check, orders } = agreeing()
    expect(check([...orders, place(4n, 1n)])).toStrictEqual({ ...well, acknowledged: 4, found: 4, doubled: 1 })
  })

  it("detects an order that is listed twice", () => {
    const { check, orders } = agreeing()
    const [first, second, third] = orders
    expect(check([first, second, second, third]).doubled).toBeGreaterThan(0)
  })

  it("detects a pet whose status contradicts its orders, or that changed without an order", () => {
    const { check, orders, pets } = agreeing()
    expect(check(orders, withStatus(pets, 1n, "available"))).toStrictEqual({ ...well, altered: 1 })
    expect(check(orders, withStatus(pets, 3n, "pending"))).toStrictEqual({ ...well, altered: 1 })
  })

  it.each([
    ["status", { status: "cancelled" }],
    ["creation timestamp", { createdAt: timestamp(0) }],
    ["closing timestamp", { updatedAt: timestamp(5) }],
  ])("detects a closed order with a different %s", (_what, change) => {
    const { check, orders, pets } = agreeing()
    const [first, ...others] = orders
    const status = "status" in change ? "available" : "sold"
    expect(check([{ ...first, ...change }, ...others], withStatus(pets, 1n, status))).toStrictEqual({
      ...well,
      found: 2,
      altered: 1,
    })
  })
})

describe("the order ledger", () => {
  it("detects an id that was assigned to two orders, and a second order for one key", () => {
    const { ledger, random, place } = agreeing()
    place(1n, 3n)
    expect(ledger.orders.idsGivenTwice).toBe(1)
    let keyed = ledger.newOrderOf(3n, random)
    while (keyed.idempotencyKey === undefined) keyed = ledger.newOrderOf(3n, random)
    place(8n, 3n, keyed)
    place(8n, 3n, keyed)
    expect(ledger.orders.idsGivenTwice).toBe(1)
    place(9n, 3n, keyed)
    expect(ledger.orders.idsGivenTwice).toBe(2)
    expect(ledger.takeProblems()).toHaveLength(2)
  })

  it("detects a refusal of the first order for an available pet, and a refusal of a retry", () => {
    const { ledger, random } = agreeing()
    const first = ledger.newOrderOf(3n, random)
    ledger.sendingOrder(first)
    ledger.refusedOrder(first, false)
    expect(ledger.takeProblems()).toStrictEqual([expect.stringContaining("the first order for available pet")])
    ledger.sendingOrder(first)
    ledger.refusedOrder(first, true)
    expect(ledger.takeProblems()).toStrictEqual([expect.stringContaining("was refused on a retry")])
  })

  it("detects an order that was closed in two ways", () => {
    const { ledger, orders } = agreeing()
    const known = ledger.orders.knownOf(1n)
    if (known !== undefined) ledger.showOrder(known, { ...orders[0], status: "cancelled" })
    expect(ledger.takeProblems()).toStrictEqual([expect.stringContaining("and then")])
  })
})
