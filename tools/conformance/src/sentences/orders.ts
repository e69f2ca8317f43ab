/** Sentences 4.5: store orders, experimental. */
import assert from "node:assert/strict"
import { create, unusedId } from "../catalogue.ts"
import { type Json, members } from "../exact-json.ts"
import { expectError, expectStatus, petOf } from "../expectations.ts"
import type { Http } from "../http.ts"
import { type Sentence, sentence } from "../sentence.ts"

interface Order {
  readonly id: bigint
  readonly petId: bigint
  readonly status: string
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const orderOf = (value: Json): Order => {
  const { id, petId, status, createdAt, updatedAt, ...others } = members(value) ?? {}
  assert.deepEqual(Object.keys(others), [], "members that an Order does not have")
  assert.ok(typeof id === "bigint" && typeof petId === "bigint", "id and petId are integers")
  assert.ok(status === "placed" || status === "completed" || status === "cancelled", `status: ${String(status)}`)
  assert.ok(typeof createdAt === "string" && instant.test(createdAt), `createdAt: ${String(createdAt)}`)
  assert.ok(typeof updatedAt === "string" && instant.test(updatedAt), `updatedAt: ${String(updatedAt)}`)
  return { id, petId, status }
}

const order = (http: Http, petId: bigint) => http.send({ method: "POST", path: "/store/orders", body: `{"petId":${petId}}` })

const place = async (http: Http): Promise<Order> => {
  const pet = await create(http, { status: "available" })
  const answer = await order(http, pet.id)
  expectStatus(answer, 201)
  const placed = orderOf(answer.json)
  assert.deepEqual(placed, { id: placed.id, petId: pet.id, status: "placed" })
  return placed
}

const close = (http: Http, id: bigint, how: "complete" | "cancel") =>
  http.send({ method: "POST", path: `/store/orders/${id}/${how}` })

const closed = async (http: Http, id: bigint, how: "complete" | "cancel"): Promise<Order> => {
  const answer = await close(http, id, how)
  expectStatus(answer, 200)
  return orderOf(answer.json)
}

const petStatus = async (http: Http, id: bigint) => petOf((await http.get(`/pets/${id}`)).json).status

const orders = { writes: true, feature: "orders" } as const

export const storeOrders: ReadonlyArray<Sentence> = [
  sentence("4.5.1", "lists orders for a valid key only", { writes: false }, async ({ http }) => {
    expectStatus(await http.get("/store/orders"), 200)
    expectError(await http.get("/store/orders", { authorization: [] }), "missing_credential")
  }),
  sentence("4.5.2", "answers with an array", { writes: false }, async ({ http }) => {
    const answer = await http.get("/store/orders")
    expectStatus(answer, 200)
    assert.ok(Array.isArray(answer.json))
  }),
  sentence("4.5.3", "gives an order its five members", orders, async ({ http }) => {
    const { id } = await place(http)
    orderOf((await http.get(`/store/orders/${id}`)).json)
  }),
  sentence("4.5.4", "makes the ordered pet pending", orders, async ({ http }) => {
    assert.equal(await petStatus(http, (await place(http)).petId), "pending")
  }),
  sentence("4.5.5", "rejects an order for a pet that does not exist", orders, async ({ http }) => {
    expectError(await order(http, await unusedId(http)), "pet_not_found")
  }),
  sentence("4.5.6", "rejects an order for a pet that is not available", orders, async ({ http }) => {
    for (const given of [{ status: "pending" }, { status: "sold" }, {}]) {
      expectError(await order(http, (await create(http, given)).id), "pet_not_available")
    }
  }),
  sentence("4.5.7", "sells the pet when the order is completed", orders, async ({ http }) => {
    const { id, petId } = await place(http)
    assert.deepEqual(await closed(http, id, "complete"), { id, petId, status: "completed" })
    assert.equal(await petStatus(http, petId), "sold")
  }),
  sentence("4.5.8", "frees the pet when the order is cancelled", orders, async ({ http }) => {
    const { id, petId } = await place(http)
    assert.deepEqual(await closed(http, id, "cancel"), { id, petId, status: "cancelled" })
    assert.equal(await petStatus(http, petId), "available")
  }),
  sentence("4.5.9", "gives the same answer when closed twice", orders, async ({ http }) => {
    for (const how of ["complete", "cancel"] as const) {
      const { id } = await place(http)
      const first = await close(http, id, how)
      expectStatus(first, 200)
      const second = await close(http, id, how)
      assert.deepEqual([second.status, second.text], [first.status, first.text])
    }
  }),
  sentence("4.5.10", "rejects the other way round", orders, async ({ http }) => {
    const one = await place(http)
    await closed(http, one.id, "complete")
    expectError(await close(http, one.id, "cancel"), "order_closed")
    const two = await place(http)
    await closed(http, two.id, "cancel")
    expectError(await close(http, two.id, "complete"), "order_closed")
  }),
  sentence("4.5.11", "answers 404 for an order that does not exist", orders, async ({ http }) => {
    for (const id of ["9007199254740993", "abc", "01"]) {
      expectError(await http.get(`/store/orders/${id}`), "order_not_found")
      expectError(await http.send({ method: "POST", path: `/store/orders/${id}/complete` }), "order_not_found")
      expectError(await http.send({ method: "POST", path: `/store/orders/${id}/cancel` }), "order_not_found")
    }
  }),
  sentence("4.5.12", "pages orders as it pages pets", orders, async ({ http }) => {
    for (let count = 0; count < 3; count += 1) await place(http)
    const first = await http.get("/store/orders?limit=2&status=placed")
    assert.ok(Array.isArray(first.json) && first.json.length === 2)
    const ids = first.json.map((entry) => orderOf(entry).id)
    const next = await http.send({ target: first.link("next") ?? "" })
    expectStatus(next, 200)
    assert.ok(Array.isArray(next.json))
    for (const entry of next.json) assert.ok(!ids.includes(orderOf(entry).id))
    expectError(await http.get("/store/orders?limit=101"), "invalid_parameter")
    expectError(await http.get("/store/orders?status=sold"), "invalid_parameter")
    expectError(await http.get("/store/orders?cursor=x"), "invalid_parameter")
  }),
  sentence("4.5.13", "sells a pet to one of many", orders, async ({ http }) => {
    const pet = await create(http, { status: "available" })
    const answers = await Promise.all(Array.from({ length: 50 }, () => order(http, pet.id)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    for (const answer of answers) if (answer.status !== 201) expectError(answer, "pet_not_available")
  }),
]
