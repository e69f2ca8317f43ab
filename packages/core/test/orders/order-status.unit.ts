import { describe, expect, it } from "vitest"
import { checkClosing, orderClosings, orderPlacement, orderStatuses } from "../../src/orders/order-status.js"

describe("the status", () => {
  it("of an order is placed, completed, cancelled or returned", () => {
    expect(orderStatuses).toStrictEqual(["placed", "completed", "cancelled", "returned"])
  })

  it("of a pet changes from available to pending when an order is placed", () => {
    expect(orderPlacement).toStrictEqual({ from: "available", to: "pending" })
  })

  it("of a pet becomes sold when its order is completed, and available when its order is cancelled", () => {
    expect(orderClosings).toStrictEqual({
      complete: { status: "completed", pet: "sold" },
      cancel: { status: "cancelled", pet: "available" },
    })
  })
})

describe("checkClosing", () => {
  const table = [
    ["complete", "placed", "moves"],
    ["complete", "completed", "repeats"],
    ["complete", "cancelled", "refused"],
    ["complete", "returned", "refused"],
    ["cancel", "placed", "moves"],
    ["cancel", "completed", "refused"],
    ["cancel", "cancelled", "repeats"],
    ["cancel", "returned", "refused"],
  ] as const

  it.each(table)("classifies a request to %s an order that is %s as '%s'", (closing, status, effect) => {
    expect(checkClosing(closing, status)).toBe(effect)
  })

  it("is tested for every closing and every status", () => {
    const pairs = Object.keys(orderClosings).flatMap((closing) => orderStatuses.map((status) => `${closing} ${status}`))
    expect(table.map(([closing, status]) => `${closing} ${status}`).toSorted()).toStrictEqual(pairs.toSorted())
  })
})
