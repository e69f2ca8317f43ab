import { Chunk, Effect, Either, Option, Stream, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { OrderNotFound } from "../../src/errors.js"
import { maxInt64, minInt64 } from "../../src/json/int64.js"
import type { Order } from "../../src/orders/order.js"
import { OrderRepository } from "../../src/orders/order-repository.js"
import {
  cancelOrder,
  completeOrder,
  createOrder,
  createOrderOnce,
  decodeOrderId,
  decodeOrderPageRequest,
  getOrder,
  listOrders,
  type OrderPageRequest,
  streamOrders,
} from "../../src/orders/orders.js"
import { type EveryRequest, encodeCursor } from "../../src/page.js"
import { queryProblem, valuesIn } from "../problems.js"

const decoded = (query: string) => decodeOrderPageRequest(valuesIn(query))

const problem = (query: string) => queryProblem(decoded(query))

const now = new Date("2026-01-02T03:04:05.678Z")

const orderOf = (id: bigint): Order => ({
  id,
  petId: 7n,
  status: "placed",
  createdAt: now,
  updatedAt: now,
})

/** A store that records its calls and returns `found`. The contract suite tests the real stores. */
const asked = (found: ReadonlyArray<Order> = []) => {
  const calls: Array<ReadonlyArray<unknown>> = []
  const answer = <A>(call: ReadonlyArray<unknown>, value: A): Effect.Effect<A> =>
    Effect.sync(() => {
      calls.push(call)
      return value
    })
  const repository = OrderRepository.of({
    insert: ({ petId }, createdAt) => answer(["insert", petId, createdAt], orderOf(1n)),
    insertOnce: ({ petId }, claim) => answer(["insertOnce", petId, claim], { value: orderOf(1n), isNew: true }),
    close: (id, closing, closedAt) => answer(["close", id, closing, closedAt], orderOf(id)),
    giveBack: (id, returnedAt) => answer(["giveBack", id, returnedAt], orderOf(id)),
    setNote: (seen, note) => answer(["setNote", seen, note], true),
    find: (id) => answer(["find", id], Option.fromNullable(found.find((order) => order.id === id))),
    list: (selection) => answer(["list", selection], found.slice(0, selection.limit)),
  })
  const run = <A, E>(useCase: Effect.Effect<A, E, OrderRepository>) =>
    Effect.runPromise(
      Effect.zipRight(TestClock.setTime(now.getTime()), Effect.either(useCase)).pipe(
        Effect.provideService(OrderRepository, repository),
        Effect.provide(TestContext.TestContext),
      ),
    )
  return { calls, run }
}

describe("createOrder", () => {
  it("orders the pet at the current time", async () => {
    const { calls, run } = asked()
    expect(await run(createOrder({ petId: 7n }))).toStrictEqual(Either.right(orderOf(1n)))
    expect(calls).toStrictEqual([["insert", 7n, now]])
  })

  it.each(tooLarge)("refuses pet %s without querying the store", async (petId) => {
    const { calls, run } = asked()
    expect(await run(createOrder({ petId }))).toMatchObject({ left: { _tag: "InvalidBody", problems: [{ field: "petId" }] } })
    expect(calls).toStrictEqual([])
  })
})

describe("createOrderOnce", () => {
  it("orders the pet with the claim", async () => {
    const claim = {
      accountId: "acc_1",
      operation: "POST /v1/store/orders",
      key: "a-1",
      fingerprint: "0".repeat(64),
      claimedAt: now,
      expiresAt: now,
    }
    const { calls, run } = asked()
    expect(await run(createOrderOnce({ petId: 7n }, claim))).toStrictEqual(Either.right({ value: orderOf(1n), isNew: true }))
    expect(calls).toStrictEqual([["insertOnce", 7n, claim]])
  })
})

const noOrders = ["abc", "", "01", "+1", "1.0", "1e2", " 1", "9223372036854775808", "-9223372036854775809"]

const tooLarge = [maxInt64 + 1n, minInt64 - 1n]

describe("decodeOrderId", () => {
  it.each(["1", "-1", "9223372036854775807", "-9223372036854775808"])("reads %s", (text) => {
    expect(decodeOrderId(text)).toStrictEqual(Either.right(BigInt(text)))
  })

  it.each(noOrders)("refuses %j with OrderNotFound", (text) => {
    expect(decodeOrderId(text)).toStrictEqual(Either.left(new OrderNotFound({ orderId: text })))
  })
})

describe("getOrder", () => {
  it.each([1n, -1n, maxInt64, minInt64])("gets order %s", async (orderId) => {
    const order = orderOf(orderId)
    expect(await asked([order]).run(getOrder(orderId))).toStrictEqual(Either.right(order))
  })

  it("fails with OrderNotFound for an order that does not exist", async () => {
    expect(await asked().run(getOrder(1n))).toStrictEqual(Either.left(new OrderNotFound({ orderId: 1n })))
  })

  it.each(tooLarge)("does not find order %s, and does not query the store", async (orderId) => {
    const { calls, run } = asked([orderOf(orderId)])
    expect(await run(getOrder(orderId))).toStrictEqual(Either.left(new OrderNotFound({ orderId })))
    expect(calls).toStrictEqual([])
  })
})

describe("completeOrder and cancelOrder", () => {
  it.each([
    ["complete", completeOrder],
    ["cancel", cancelOrder],
  ])("pass the closing %s and the current time to the store", async (closing, close) => {
    const { calls, run } = asked()
    expect(await run(close(5n))).toStrictEqual(Either.right(orderOf(5n)))
    expect(calls).toStrictEqual([["close", 5n, closing, now]])
  })

  it.each(tooLarge)("does not find order %s, and does not query the store", async (orderId) => {
    const { calls, run } = asked()
    expect(await run(completeOrder(orderId))).toStrictEqual(Either.left(new OrderNotFound({ orderId })))
    expect(calls).toStrictEqual([])
  })
})

describe("decodeOrderPageRequest", () => {
  it("requests the first 20 orders with any status by default", () => {
    expect(decoded("")).toStrictEqual(Either.right({ limit: 20, status: Option.none(), after: Option.none() }))
  })

  it.each(["placed", "completed", "cancelled"] as const)(
    "accepts a limit, the status %s, and a cursor for that status",
    (status) => {
      const cursor = encodeCursor({ list: "orders", filter: status, after: 9007199254740993n })
      expect(decoded(`limit=5&status=${status}&cursor=${cursor}`)).toStrictEqual(
        Either.right({ limit: 5, status: Option.some(status), after: Option.some(9007199254740993n) }),
      )
    },
  )

  it.each(["available", "sold", "Placed", "", "placed,completed"])("refuses the status %j", (status) => {
    expect(problem(`status=${status}`)).toBe(`status: expected one of placed, completed, cancelled, returned, got "${status}"`)
  })

  it("refuses a cursor for another filter, and a cursor for the list of pets", () => {
    const rule = "cursor: expected the list and the filter that the cursor was made for"
    expect(problem(`cursor=${encodeCursor({ list: "orders", filter: "placed", after: 1n })}`)).toContain(rule)
    expect(problem(`cursor=${encodeCursor({ list: "pets", filter: "", after: 1n })}`)).toContain(rule)
  })
})

describe("listOrders", () => {
  const request: OrderPageRequest = { limit: 2, status: Option.some("placed"), after: Option.none() }

  it("reads one order more than the page contains, and returns the request for the next page", async () => {
    const { calls, run } = asked([1n, 2n, 3n].map(orderOf))
    expect(await run(listOrders(request))).toStrictEqual(
      Either.right({
        items: [orderOf(1n), orderOf(2n)],
        next: Option.some({
          ...request,
          after: Option.some(2n),
          cursor: encodeCursor({ list: "orders", filter: "placed", after: 2n }),
        }),
      }),
    )
    expect(calls).toStrictEqual([["list", { ...request, limit: 3 }]])
  })

  it("returns no further request with the last page", async () => {
    const { run } = asked([1n, 2n].map(orderOf))
    expect(await run(listOrders(request))).toStrictEqual(Either.right({ items: [orderOf(1n), orderOf(2n)], next: Option.none() }))
  })
})

describe("streamOrders", () => {
  it("passes every filter of a list to the store", async () => {
    const { calls, run } = asked([1n, 2n].map(orderOf))
    const filters: EveryRequest<OrderPageRequest> = { petId: 7n, status: Option.some("placed") }
    expect(await run(Effect.map(Stream.runCollect(streamOrders(filters)), Chunk.toReadonlyArray))).toStrictEqual(
      Either.right([orderOf(1n), orderOf(2n)]),
    )
    expect(calls).toStrictEqual([["list", { ...filters, after: Option.none(), limit: 101 }]])
  })

  it("refuses an invalid filter", async () => {
    const { run } = asked()
    expect(await run(Stream.runDrain(streamOrders({ petId: 2n ** 64n })))).toMatchObject({ left: { parameter: "petId" } })
  })
})
