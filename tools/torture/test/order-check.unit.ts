/** The check of orders must detect every kind of fault. Otherwise a successful run would not prove anything. */

import type { Pet } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import type { Order, OrderIntent } from "@petstore/model/clients"
import { type Closing, statusAfter } from "@petstore/model/rules"
import { describe, expect, it } from "vitest"
import { checkOrders } from "../src/check.ts"
import { RandomModel } from "../src/random-model.ts"

const timestamp = (second: number): string => `2026-01-01T00:00:0${second}.000Z`

/**
 * A model with three available pets, and matching lists. The first pet has been sold, the second has been freed and ordered
 * again, and the third has never been ordered.
 */
const agreeing = () => {
  const model = new RandomModel()
  const random = new Random(1)
  for (let id = 1n; id <= 3n; ) {
    const intent = model.newPet(random)
    if (intent.given.status !== "available") continue
    model.pets.sending(intent)
    model.acknowledgePet(intent, { id, ...intent.given })
    id += 1n
  }
  const place = (id: bigint, pet: bigint, given?: OrderIntent): Order => {
    const intent = given ?? model.newOrderOf(pet, random)
    const order = { id, petId: pet, status: "placed", createdAt: timestamp(1), updatedAt: timestamp(1) }
    model.sendingOrder(intent)
    model.acknowledgeOrder(intent, order)
    return order
  }
  const end = (order: Order, closing: Closing): Order => {
    const ended = { ...order, status: statusAfter[closing], updatedAt: timestamp(2) }
    const known = model.orders.knownOf(order.id)
    if (known === undefined) throw new Error("the order is unknown")
    model.closedOrder(known, model.closingOrder(known, closing), ended)
    return ended
  }
  const orders = [end(place(1n, 1n), "complete"), end(place(2n, 2n), "cancel"), place(3n, 2n)] as const
  const pets = ["sold", "pending", "available"].map((status, index): Pet => {
    const id = BigInt(index + 1)
    return { id, name: "any", categoryId: 1n, status }
  })
  const check = (found: ReadonlyArray<Order>, statuses = pets) => checkOrders(statuses, found, model)
  return { model, random, place, orders, pets, check }
}

const well = { acknowledged: 3, found: 3, lost: 0, doubled: 0, altered: 0, resurrected: 0 }

const withStatus = (pets: ReadonlyArray<Pet>, id: bigint, status: string): Array<Pet> =>
  pets.map((pet) => (pet.id === id ? { ...pet, status } : pet))

describe("checkOrders", () => {
  it("accepts lists with the acknowledged orders", () => {
    const { model, check, orders } = agreeing()
    expect(check(orders)).toStrictEqual(well)
    expect(model.takeProblems()).toStrictEqual([])
  })

  it("allows one order for a request whose response was lost", () => {
    const { model, random, check, orders, pets } = agreeing()
    const lost = { id: 4n, petId: 3n, status: "placed", createdAt: timestamp(3), updatedAt: timestamp(3) }
    const nobodyAsked = check([...orders, lost], withStatus(pets, 3n, "pending"))
    expect(nobodyAsked).toStrictEqual({ ...well, doubled: 1 })
    model.sendingOrder(model.newOrderOf(3n, random))
    expect(check([...orders, lost], withStatus(pets, 3n, "pending"))).toStrictEqual(well)
  })

  it("allows a closed order if the response to the closing request was lost", () => {
    const { model, check, orders, pets } = agreeing()
    const [first, second, third] = orders
    const ended = [first, second, { ...third, status: "completed", updatedAt: timestamp(4) }]
    expect(check(ended, withStatus(pets, 2n, "sold"))).toStrictEqual({ ...well, altered: 1 })
    const known = model.orders.knownOf(3n)
    if (known !== undefined) model.closingOrder(known, "complete")
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

describe("the order model", () => {
  it("detects an id that was assigned to two orders, and a second order for one key", () => {
    const { model, random, place } = agreeing()
    place(1n, 3n)
    expect(model.orders.idsGivenTwice).toBe(1)
    let keyed = model.newOrderOf(3n, random)
    while (keyed.idempotencyKey === undefined) keyed = model.newOrderOf(3n, random)
    place(8n, 3n, keyed)
    place(8n, 3n, keyed)
    expect(model.orders.idsGivenTwice).toBe(1)
    place(9n, 3n, keyed)
    expect(model.orders.idsGivenTwice).toBe(2)
    // Pet 3 has an order, so the keyed order is wrong too.
    expect(model.takeProblems()).toHaveLength(3)
  })

  it("detects a refusal of an order for an available pet, and a refusal of a retry", () => {
    const { model, random } = agreeing()
    const first = model.newOrderOf(3n, random)
    model.sendingOrder(first)
    model.refusedOrder(first, false, "pet_not_available")
    expect(model.takeProblems()).toStrictEqual([expect.stringContaining("for which there was no reason")])
    model.sendingOrder(first)
    model.refusedOrder(first, true, "pet_not_available")
    expect(model.takeProblems()).toContainEqual(expect.stringContaining("was refused on a retry"))
  })

  it("detects an order that was closed in two ways", () => {
    const { model, orders } = agreeing()
    const known = model.orders.knownOf(1n)
    if (known !== undefined) model.showOrder(known, { ...orders[0], status: "cancelled" })
    expect(model.takeProblems()).toStrictEqual([expect.stringContaining("and then")])
  })
})
