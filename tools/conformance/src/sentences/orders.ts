/** Sentences 4.5.1 to 4.5.17, 4.5.27 to 4.5.29 and 4.5.32: orders and the ordered pets. `order-requests.ts` tests the requests. */
import assert from "node:assert/strict"
import { expectError, expectStatus, tagOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { byId, create, cursorOf, everyRow, expectSorted, idsOf, pages, pageWith, unusedId, withId } from "../catalogue.ts"
import { exactlyOne, namesNothing, refusesAll } from "../every.ts"
import { reads, type Sentence, sentence, writes } from "../sentence.ts"
import {
  close,
  closed,
  type Order,
  orderIn,
  orderPet,
  ordersOf,
  petStatus,
  place,
  postOrder,
  readOrder,
  sell,
} from "../store-orders.ts"

const walk = (http: Http, query: string): Promise<ReadonlyArray<Order>> => everyRow(http, `/store/orders?${query}`, ordersOf)

export const storeOrders: ReadonlyArray<Sentence> = [
  reads("4.5.1", "lists orders only for a valid key", async ({ http }) => {
    expectStatus(await http.get("/store/orders"), 200)
    expectError(await http.get("/store/orders", { authorization: [] }), "missing_credential")
  }),
  reads("4.5.2", "responds with an array", async ({ http }) => ordersOf(await http.get("/store/orders"))),
  writes("4.5.28", "returns an order with its five members, and with its note if it has one", async ({ http }) => {
    const order = await place(http)
    assert.deepEqual(await readOrder(http, order.id), order)
    const { id } = await create(http, { status: "available" })
    const noted = orderIn(await postOrder(http, `{"petId":${id},"note":"for Ada"}`), 201)
    assert.equal(noted.note, "for Ada")
    assert.deepEqual(await readOrder(http, noted.id), noted)
  }),
  writes("4.5.4", "makes the ordered pet pending", async ({ http }) =>
    assert.equal(await petStatus(http, (await place(http)).petId), "pending"),
  ),
  writes("4.5.5", "rejects an order for a pet that does not exist", async ({ http }) => {
    const petId = await unusedId(http)
    for (const id of [petId, 0n, -1n]) expectError(await orderPet(http, id), "pet_not_found")
  }),
  writes("4.5.6", "rejects an order for a pet that is not available", async ({ http }) => {
    for (const given of [{ status: "pending" }, { status: "sold" }, {}]) {
      const pet = await create(http, given)
      expectError(await orderPet(http, pet.id), "pet_not_available")
      assert.equal(await petStatus(http, pet.id), pet.status)
    }
    expectError(await orderPet(http, (await place(http)).petId), "pet_not_available")
  }),
  writes("4.5.7", "sells the pet when the order is completed", async ({ http }) => {
    const { id, petId } = await place(http)
    const { status } = await closed(http, id, "complete")
    assert.deepEqual([status, await petStatus(http, petId)], ["completed", "sold"])
    expectError(await orderPet(http, petId), "pet_not_available")
  }),
  writes("4.5.8", "frees the pet when the order is cancelled", async ({ http }) => {
    const { id, petId } = await place(http)
    const { status } = await closed(http, id, "cancel")
    assert.deepEqual([status, await petStatus(http, petId)], ["cancelled", "available"])
  }),
  writes("4.5.9", "returns the same response when an order is closed twice", async ({ http }) => {
    for (const how of ["complete", "cancel"] as const) {
      const { id } = await place(http)
      const first = expectStatus(await close(http, id, how), 200)
      const second = await close(http, id, how)
      assert.deepEqual([second.status, second.text], [first.status, first.text])
    }
  }),
  writes("4.5.10", "refuses to complete a cancelled order and to cancel a completed one", async ({ http }) => {
    for (const [one, other] of [["complete", "cancel"] as const, ["cancel", "complete"] as const]) {
      const { id, petId } = await place(http)
      const order = await closed(http, id, one)
      expectError(await close(http, id, other), "order_closed")
      assert.deepEqual(await readOrder(http, id), order)
      assert.equal(await petStatus(http, petId), one === "complete" ? "sold" : "available")
    }
  }),
  writes("4.5.11", "responds with 404 for an order that does not exist", ({ http }) =>
    namesNothing(http, "/store/orders", ["9007199254740993", "0", "-1"]),
  ),
  writes("4.5.12", "pages orders like pets", async ({ http }) => {
    const made: Array<Order> = []
    for (let count = 0; count < 5; count += 1) made.push(await place(http))
    const all = await walk(http, "limit=2")
    for (const order of made) assert.deepEqual(withId(all, order.id), [order])
    expectSorted(all)
    const completed = made[0] ?? assert.fail()
    await closed(http, completed.id, "complete")
    for (const status of ["placed", "completed", "cancelled"]) {
      const found = await walk(http, `limit=100&status=${status}`)
      assert.ok(found.every((order) => order.status === status))
      const expected = idsOf(made).filter((id) => (status === "completed") === (id === completed.id))
      const seen = idsOf(found).filter((id) => withId(made, id).length > 0)
      assert.deepEqual(seen, status === "cancelled" ? [] : expected)
    }
    const next = new URL((await http.get("/store/orders?limit=2&status=placed")).link("next") ?? "", http.base)
    assert.equal(next.pathname, `${http.prefix}/store/orders`)
    assert.deepEqual([next.searchParams.get("limit"), next.searchParams.get("status")], ["2", "placed"])
    const cursor = await cursorOf(http, "/store/orders?limit=1&status=placed")
    const ofPets = await cursorOf(http, "/pets?limit=1")
    const wrong = [
      ...["limit=0", "limit=101", "limit=", "limit=1&limit=1", "limit=x"],
      ...["status=sold", "status=Placed", "status=", "status=placed&status=placed"],
      ...["cursor=", "cursor=x", `cursor=${cursor}`, `status=completed&cursor=${cursor}`, `status=placed&cursor=A${cursor}`],
      ...[`status=placed&cursor=${cursor}&cursor=${cursor}`, `cursor=${ofPets}`],
    ]
    await refusesAll("invalid_parameter", wrong, (query) => http.get(`/store/orders?${query}`))
    expectStatus(await http.get("/store/orders?limit=7&status=placed&Limit=0&offset=x"), 200)
  }),
  writes("4.5.27", "lists the orders for one pet", async ({ http }) => {
    const first = await place(http)
    await place(http)
    await closed(http, first.id, "cancel")
    const second = orderIn(await orderPet(http, first.petId), 201)
    const ids = async (query: string) => idsOf(await walk(http, `limit=1&petId=${first.petId}${query}`))
    assert.deepEqual(await ids(""), idsOf([first, second].toSorted(byId)))
    assert.deepEqual(await ids("&status=cancelled"), [first.id])
    const cursor = await cursorOf(http, `/store/orders?limit=1&petId=${first.petId}`)
    const wrong = ["petId=x", "petId=", "petId=1.0", "petId=9223372036854775808", "petId=1&petId=1"]
    await refusesAll("invalid_parameter", [...wrong, `cursor=${cursor}`, `cursor=${cursor}&petId=1`], (query) =>
      http.get(`/store/orders?${query}`),
    )
  }),
  writes("4.5.32", "lists orders in descending order, in combination with the other filters", async ({ http }) => {
    const first = await sell(http)
    await closed(http, first.id, "return")
    const second = orderIn(await orderPet(http, first.petId), 201)
    const path = `limit=1&petId=${first.petId}`
    const ids = async (query: string) => idsOf(await walk(http, `${path}${query}`))
    const upward = idsOf([first, second].toSorted(byId))
    assert.deepEqual([await ids(""), await ids("&order=asc"), await ids("&order=desc")], [upward, upward, upward.toReversed()])
    assert.deepEqual(await ids("&order=desc&status=returned"), [first.id])
    const cursor = await cursorOf(http, `/store/orders?${path}&order=desc`)
    const wrong = ["order=", "order=up", "order=DESC", "order=asc&order=asc", `order=asc&${path}&cursor=${cursor}`]
    await refusesAll("invalid_parameter", wrong, (query) => http.get(`/store/orders?${query}`))
  }),
  writes("4.5.13", "sells a pet to only one of many clients", async ({ http }) => {
    const pet = await create(http, { status: "available" })
    const placed = orderIn(await exactlyOne("pet_not_available", () => orderPet(http, pet.id), 50), 201)
    const all = await walk(http, "limit=100&status=placed")
    const ofPet = all.filter(({ petId }) => petId === pet.id)
    assert.deepEqual(ofPet, [placed])
  }),
  writes(
    "4.5.14",
    "frees a pet for another order, and does not change that order when the first one is closed again",
    async ({ http }) => {
      const first = await place(http)
      await closed(http, first.id, "cancel")
      const second = orderIn(await orderPet(http, first.petId), 201)
      assert.notEqual(second.id, first.id)
      expectStatus(await close(http, first.id, "cancel"), 200)
      expectError(await close(http, first.id, "complete"), "order_closed")
      assert.equal(await petStatus(http, first.petId), "pending")
      await closed(http, second.id, "complete")
      assert.equal(await petStatus(http, first.petId), "sold")
    },
  ),
  writes("4.5.29", "keeps the creation timestamp and changes the update timestamp", async ({ http }) => {
    const placed = await place(http)
    assert.equal(placed.updatedAt, placed.createdAt)
    let last = placed
    for (const closing of ["complete", "return"] as const) {
      const ended = await closed(http, placed.id, closing)
      assert.equal(ended.createdAt, placed.createdAt)
      assert.ok(ended.updatedAt >= last.updatedAt, `updatedAt went back from ${last.updatedAt} to ${ended.updatedAt}`)
      assert.deepEqual(await readOrder(http, placed.id), ended)
      last = ended
    }
  }),
  writes("4.5.16", "never shows the previous status after the response to a change", async ({ http }) => {
    const pet = await create(http, { status: "available" })
    const order = { id: 0n }
    const steps = [
      [async () => (order.id = orderIn(await orderPet(http, pet.id), 201).id), "pending"],
      [() => close(http, order.id, "cancel"), "available"],
      [async () => (order.id = orderIn(await orderPet(http, pet.id), 201).id), "pending"],
      [() => close(http, order.id, "complete"), "sold"],
    ] as const
    const pagePath = (await pageWith(http, pet.id)).slice(http.prefix.length)
    let shown = "available"
    for (const [step, status] of steps) {
      // The test requests each path repeatedly, so that caches contain the responses.
      const reads = [`/pets/${pet.id}`, pagePath, "/store/orders?limit=100"]
      const tags: Array<string> = []
      for (const path of reads) {
        for (let count = 0; count < 3; count += 1) await http.get(path)
        tags.push(tagOf(await http.get(path)))
      }
      await step()
      assert.equal(await petStatus(http, pet.id), status)
      for (const [index, path] of reads.slice(0, 2).entries()) {
        const response = expectStatus(await http.get(path, { headers: [`If-None-Match: ${tags[index] ?? ""}`] }), 200)
        assert.notEqual(response.header("etag"), tags[index])
      }
      assert.ok(await isListed(http, pet.id, status), `the pet is not listed as ${status}`)
      assert.ok(!(await isListed(http, pet.id, shown)), `the pet is still listed as ${shown}`)
      shown = status
    }
  }),
  sentence("4.5.17", "shows every order to every account", { writes: true, needs: ["secondKey"] }, async ({ http, given }) => {
    const other = http.withKey(given.secondKey ?? "")
    const order = await place(http)
    assert.deepEqual(await readOrder(other, order.id), order)
    await closed(other, order.id, "complete")
    assert.equal((await readOrder(http, order.id)).status, "completed")
  }),
]

const isListed = async (http: Http, id: bigint, status: string): Promise<boolean> => {
  for await (const page of pages(http, `?limit=100&status=${status}`)) if (page.some((pet) => pet.id === id)) return true
  return false
}
