/** Tests the operations on orders with the real service. */
import { createClient, type Order, type OrderQuery } from "@petstore/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { failureOf } from "./failure.js"
import { answer, startMisbehaving } from "./misbehaving-server.js"
import { type Petstore, startPetstore } from "./petstore.js"

let petstore: Petstore
beforeAll(async () => {
  petstore = await startPetstore()
})
afterAll(() => petstore[Symbol.asyncDispose]())

const client = () => createClient(petstore)

const newPet = async (): Promise<bigint> =>
  (await client().createPet({ name: "Bello", categoryId: 1n, status: "available" })).value.id

const statusOf = async (petId: bigint) => (await client().getPet(petId)).value.status

describe("orders.create", () => {
  it("orders a pet, which becomes pending", async () => {
    const petId = await newPet()
    const { value: order } = await client().orders.create({ petId })
    expect(order).toStrictEqual({
      id: expect.any(BigInt),
      petId,
      status: "placed",
      createdAt: expect.any(Date),
      updatedAt: order.createdAt,
    })
    expect((await client().orders.get(order.id)).value).toStrictEqual(order)
    expect(await statusOf(petId)).toBe("pending")
  })

  it("lets one of many callers order a pet, and refuses the other callers", async () => {
    const petId = await newPet()
    const orders = await Promise.allSettled(Array.from({ length: 20 }, () => client().orders.create({ petId })))
    expect(orders.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const refused = await failureOf(client().orders.create({ petId }))
    expect(refused).toMatchObject({ code: "pet_not_available", status: 409, attempts: 1 })
    expect(await failureOf(client().orders.create({ petId: -1n }))).toMatchObject({ code: "pet_not_found", status: 404 })
  })

  it("places one order for two calls with the same idempotency key, even if the order was closed in between", async () => {
    const petId = await newPet()
    const idempotencyKey = "basket-17"
    const { value: first } = await client().orders.create({ petId }, { idempotencyKey })
    await client().orders.cancel(first.id)
    expect((await client().orders.create({ petId }, { idempotencyKey })).value).toStrictEqual(first)
    expect(await statusOf(petId)).toBe("available")
  })

  it("repeats a request that failed with 503, and reports its idempotency key", async () => {
    await using server = await startMisbehaving(answer(503, { code: "storage_unavailable", message: "unavailable", status: 503 }))
    const options = { ...petstore, ...server, maxRetries: 1 }
    const failure = await failureOf(createClient(options).orders.create({ petId: 7n }))
    expect(failure).toMatchObject({ code: "storage_unavailable", attempts: 2, idempotencyKey: expect.any(String) })
    expect(server.arrived.map(({ url, body }) => [url, body])).toStrictEqual(
      Array.from({ length: 2 }, () => ["/v1/store/orders", '{"petId":7}']),
    )
  })
})

describe("orders.complete and orders.cancel", () => {
  it.each([
    ["complete", "completed", "sold", "cancel"],
    ["cancel", "cancelled", "available", "complete"],
  ] as const)(
    "close an order with %s, allow the same call again, and refuse the other call",
    async (closing, status, petStatus, other) => {
      const petId = await newPet()
      const { orders } = client()
      const { value: placed } = await orders.create({ petId })
      const { value: closed } = await orders[closing](placed.id)
      expect(closed).toStrictEqual({ ...placed, status, updatedAt: closed.updatedAt })
      expect((await orders[closing](placed.id)).value).toStrictEqual(closed)
      expect(await statusOf(petId)).toBe(petStatus)
      expect(await failureOf(orders[other](placed.id))).toMatchObject({ code: "order_closed", status: 409 })
    },
  )

  it("fail like orders.get for an order that does not exist", async () => {
    const { orders } = client()
    for (const call of [orders.get, orders.complete, orders.cancel, orders.return]) {
      expect(await failureOf(call(2n ** 53n + 1n))).toMatchObject({ code: "order_not_found", status: 404 })
    }
  })
})

describe("orders.return", () => {
  it("takes a completed order back, allows the same call again, and frees the pet", async () => {
    const petId = await newPet()
    const { orders } = client()
    const { value: placed } = await orders.create({ petId })
    expect(await failureOf(orders.return(placed.id))).toMatchObject({ code: "order_not_completed", status: 409 })
    await orders.complete(placed.id)
    const returned = await orders.return(placed.id)
    expect(returned.value).toStrictEqual({ ...placed, status: "returned", updatedAt: returned.value.updatedAt })
    expect(returned.etag).toBe((await orders.get(placed.id)).etag)
    expect((await orders.return(placed.id)).value).toStrictEqual(returned.value)
    expect(await statusOf(petId)).toBe("available")
  })

  it("fails if the pet is no longer sold", async () => {
    const petId = await newPet()
    const { orders, correctPet } = client()
    const { value: order } = await orders.create({ petId })
    await orders.complete(order.id)
    await correctPet(petId, { status: "pending" })
    expect(await failureOf(orders.return(order.id))).toMatchObject({ code: "pet_changed", status: 409 })
  })
})

describe("orders.change", () => {
  it("replaces and removes the note that an order was created with", async () => {
    const { orders } = client()
    const { value: order, etag } = await orders.create({ petId: await newPet(), note: "for Ada \u{1F436}" })
    expect(order.note).toBe("for Ada \u{1F436}")
    const changed = await orders.change(order.id, { note: "" }, { ifMatch: etag })
    expect(changed.value).toStrictEqual({ ...order, note: "" })
    expect((await orders.change(order.id, {})).value).toStrictEqual(changed.value)
    const failure = await failureOf(orders.change(order.id, { note: "late" }, { ifMatch: etag }))
    expect(failure).toMatchObject({ code: "precondition_failed", status: 412 })
    const { note: _, ...plain } = order
    expect((await orders.change(order.id, { note: null })).value).toStrictEqual(plain)
    expect((await orders.get(order.id)).value).toStrictEqual(plain)
  })
})

describe("orders.list and orders.listAll", () => {
  it("return the newest orders first", async () => {
    const { orders } = client()
    const petId = await newPet()
    const { value: first } = await orders.create({ petId })
    await orders.cancel(first.id)
    const { value: second } = await orders.create({ petId })
    const listed = await Array.fromAsync(orders.listAll({ petId, order: "desc", limit: 1 }))
    expect(listed.map(({ id }) => id)).toStrictEqual([second.id, first.id])
  })

  it("return orders by status, page by page", async () => {
    const { orders } = client()
    const placed: Array<Order> = []
    for (let index = 0; index < 5; index += 1) placed.push((await orders.create({ petId: await newPet() })).value)
    const ids = new Set(placed.map(({ id }) => id))
    const pages: Array<ReadonlyArray<Order>> = []
    let query: OrderQuery | undefined = { status: "placed", limit: 2 }
    while (query !== undefined) {
      const { value: page } = await orders.list(query)
      pages.push(page.items)
      query = page.next
    }
    expect(pages.slice(0, -1).every(({ length }) => length === 2)).toBe(true)
    expect(pages.flat().filter(({ id }) => ids.has(id))).toStrictEqual(placed)
    expect(await Array.fromAsync(orders.listAll({ status: "placed" }))).toStrictEqual(pages.flat())
    const all = await Array.fromAsync(orders.listAll())
    expect(all.filter(({ status }) => status === "placed")).toStrictEqual(pages.flat())
  })
})

describe("a malformed order", () => {
  const order = {
    id: 1,
    petId: 2,
    status: "placed",
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-02T03:04:05.678Z",
  }

  it.each([
    ["an unknown status", { ...order, status: "lost" }],
    ["no petId", { ...order, petId: undefined }],
    ["a malformed timestamp", { ...order, createdAt: "yesterday" }],
    ["a timestamp that is a number", { ...order, updatedAt: 5 }],
    ["a list", [order]],
  ])("is refused: %s", async (_what, body) => {
    await using server = await startMisbehaving(answer(200, body))
    const failure = await failureOf(createClient({ ...petstore, ...server }).orders.get(1n))
    expect(failure).toMatchObject({ code: "invalid_answer" })
  })

  it("is not requested with an identifier that is a number, because the number may have been rounded", async () => {
    const { orders } = client()
    // Safe: a JavaScript caller can pass a number.
    const rounded = 7 as unknown as bigint
    await expect(orders.get(rounded)).rejects.toThrow(TypeError)
    await expect(orders.cancel(rounded)).rejects.toThrow(TypeError)
    await expect(orders.create({ petId: rounded })).rejects.toThrow("petId must be a bigint")
  })
})
