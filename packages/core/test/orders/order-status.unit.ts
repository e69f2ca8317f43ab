import { describe, expect, it } from "vitest"
import { checkClosing, orderClosings, orderPlacement, orderStatuses } from "../../src/orders/order-status.js"

describe("the statuses of orders and pets", () => {
  it("are placed, completed and cancelled for an order", () => {
    expect(orderStatuses).toStrictEqual(["placed", "completed", "cancelled"])
  })

  it("move from available to pending when an order is placed", () => {
    expect(orderPlacement).toStrictEqual({ from: "available", to: "pending" })
  })

  it("end in one of two ways", () => {
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
    ["cancel", "placed", "moves"],
    ["cancel", "completed", "refused"],
    ["cancel", "cancelled", "repeats"],
  ] as const

  it.each(table)("classifies a request to %s an order that is %s as %s", (closing, status, effect) => {
    expect(checkClosing(closing, status)).toBe(effect)
  })

  it("has no other pairs", () => {
    const pairs = Object.keys(orderClosings).flatMap((closing) => orderStatuses.map((status) => `${closing} ${status}`))
    expect(table.map(([closing, status]) => `${closing} ${status}`).toSorted()).toStrictEqual(pairs.toSorted())
  })
})
