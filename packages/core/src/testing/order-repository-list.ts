/** The promises of `OrderRepository.list`. */
import { Effect, Option } from "effect"
import { describe, expect } from "vitest"
import { maxInt64, minInt64 } from "../json/int64.js"
import type { Order } from "../orders/order.js"
import { orderStatuses } from "../orders/order-status.js"
import { orderEnded, ordersListed, type PromiseOfOrders, placeEach } from "./orders.js"
import { byId } from "./pets.js"

/** That many orders of each status, mixed. */
const ofEveryStatus = (each: number) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: each }).flatMap(() => [undefined, "complete", "cancel"] as const),
      orderEnded,
    ),
    (orders) => orders.toSorted(byId),
  )

export const promisesOfOrderList = (promise: PromiseOfOrders): void => {
  describe("list", () => {
    promise("is empty while there are no orders", function* () {
      expect(yield* ordersListed()).toStrictEqual([])
      for (const status of orderStatuses) expect(yield* ordersListed({ status: Option.some(status) })).toStrictEqual([])
    })

    promise("ascends by identifier and stops at the limit", function* () {
      const placed = (yield* placeEach(12)).toSorted(byId)
      for (const limit of [1, 2, 11, 12, 13, 101]) {
        expect(yield* ordersListed({ limit })).toStrictEqual(placed.slice(0, limit))
      }
    })

    promise("holds the orders of one status only, at once after it changed", function* () {
      const all = yield* ofEveryStatus(4)
      for (const status of orderStatuses) {
        const expected = all.filter((order) => order.status === status)
        expect(expected).toHaveLength(4)
        expect(yield* ordersListed({ status: Option.some(status) })).toStrictEqual(expected)
        expect(yield* ordersListed({ status: Option.some(status), limit: 3 })).toStrictEqual(expected.slice(0, 3))
      }
    })

    promise("starts after any identifier, assigned or not", function* () {
      const all = yield* ofEveryStatus(3)
      const starts = all.flatMap(({ id }) => [id - 1n, id, id + 1n])
      for (const after of [...starts, 0n, -1n, maxInt64 - 1n, maxInt64, minInt64]) {
        const expected = all.filter(({ id }) => id > after)
        const from = { after: Option.some(after) }
        expect(yield* ordersListed(from)).toStrictEqual(expected)
        expect(yield* ordersListed({ ...from, status: Option.some("completed"), limit: 2 })).toStrictEqual(
          expected.filter(({ status }) => status === "completed").slice(0, 2),
        )
      }
    })

    promise("page by page shows each order once, while others are placed", function* (orders) {
      const before = (yield* placeEach(10)).toSorted(byId)
      const seen: Array<Order> = []
      let page: ReadonlyArray<Order>
      do {
        const after = Option.fromNullable(seen.at(-1)?.id)
        page = yield* orders.list({ status: Option.none(), after, limit: 3 })
        seen.push(...page)
        yield* placeEach(1)
        // An adapter that goes in circles fails here instead of going on for ever.
        expect(seen.length).toBeLessThan(100)
      } while (page.length === 3)
      const ids = new Set(before.map(({ id }) => id))
      expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(before)
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
    })
  })
}
