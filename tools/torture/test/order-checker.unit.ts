import { describe, expect, it } from "vitest"
import { contradictions, lostOrders, type OrdersOfStore } from "../src/order-checker.ts"

const pet = (id: bigint, status?: string) => ({ id, status })
const order = (id: bigint, petId: bigint, status: string, updatedAt = status === "placed" ? 1 : 2) => ({
  id,
  petId,
  status,
  createdAt: 1,
  updatedAt,
})

const sound: OrdersOfStore = {
  pets: [pet(1n, "pending"), pet(2n, "sold"), pet(3n, "available"), pet(4n, "sold"), pet(5n)],
  orders: [order(1n, 1n, "cancelled"), order(2n, 1n, "placed"), order(3n, 2n, "completed"), order(4n, 3n, "cancelled")],
}

describe("contradictions", () => {
  it("reports no contradiction in a consistent store", () => {
    expect(contradictions(sound)).toStrictEqual([])
  })

  it.each([
    ["is available, but its orders say pending", { pets: [pet(1n, "available")], orders: [order(1n, 1n, "placed")] }],
    ["is pending, but its orders say sold", { pets: [pet(1n, "pending")], orders: [order(1n, 1n, "completed")] }],
    ["is sold, but its orders say available", { pets: [pet(1n, "sold")], orders: [order(1n, 1n, "cancelled")] }],
    ["is without a status, but its orders say pending", { pets: [pet(1n)], orders: [order(1n, 1n, "placed")] }],
    ["is held by 2 orders", { pets: [pet(1n, "pending")], orders: [order(1n, 1n, "placed"), order(2n, 1n, "placed")] }],
    ["is held by 2 orders", { pets: [pet(1n, "sold")], orders: [order(1n, 1n, "completed"), order(2n, 1n, "placed")] }],
    ["is for pet 9, which does not exist", { pets: [], orders: [order(1n, 9n, "placed")] }],
    ["is placed but was updated", { pets: [pet(1n, "pending")], orders: [order(1n, 1n, "placed", 7)] }],
    [
      "two orders have the same identifier",
      { pets: [pet(1n, "available")], orders: [1n, 1n].map((id) => order(id, 1n, "cancelled")) },
    ],
  ])("reports a contradiction: %s", (words, store) => {
    expect(contradictions(store)).toStrictEqual([expect.stringContaining(words)])
  })
})

describe("contradictions of a pet whose status was corrected", () => {
  const storeOf = (status: string, ...statuses: ReadonlyArray<string>): OrdersOfStore => ({
    pets: [pet(1n, status)],
    orders: statuses.map((one, index) => order(BigInt(index), 1n, one)),
  })
  const isLeftToOrders = () => false

  it.each([
    ["is held by 2 orders: placed, placed", storeOf("pending", "placed", "placed")],
    ["is available, but its orders say pending", storeOf("available", "placed")],
    ["is sold, but its orders say pending", storeOf("sold", "completed", "placed")],
    ["is for pet 9, which does not exist", { pets: [], orders: [order(1n, 9n, "placed")] }],
  ])("reports a contradiction: %s", (words, store) => {
    expect(contradictions(store, isLeftToOrders)).toStrictEqual([expect.stringContaining(words)])
  })

  it.each([
    storeOf("available", "completed"),
    storeOf("available", "completed", "completed"),
    storeOf("sold", "cancelled"),
    storeOf("pending", "completed", "placed"),
    { pets: [], orders: [order(1n, 9n, "completed")] },
  ])("accepts a status that closed orders do not determine", (store) => {
    expect(contradictions(store, isLeftToOrders)).toStrictEqual([])
  })
})

describe("lostOrders", () => {
  it("does not report an order that is unchanged, or that was closed after it was shown as placed", () => {
    expect(lostOrders(sound, [...sound.orders, { id: 3n, petId: 2n, status: "placed" }])).toStrictEqual([])
  })

  it.each([
    ["no longer exists", { id: 9n, petId: 1n, status: "placed" }],
    ["was for pet 2 and is now for pet 1", { id: 1n, petId: 2n, status: "placed" }],
    ["was completed and is now cancelled", { id: 1n, petId: 1n, status: "completed" }],
    ["was cancelled and is now placed", { id: 2n, petId: 1n, status: "cancelled" }],
  ])("reports an order that %s", (words, acknowledged) => {
    expect(lostOrders(sound, [acknowledged])).toStrictEqual([expect.stringContaining(words)])
  })
})
