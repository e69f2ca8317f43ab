/** The first sentences of section 4.10: completed orders that are taken back. */
import assert from "node:assert/strict"
import { expectError, expectStatus, tagOf } from "@petstore/harness/expectations"
import { patch, remove, unusedId } from "../catalogue.ts"
import { refusesAll } from "../every.ts"
import { type Cases, each, type Sentence, writes } from "../sentence.ts"
import { close, closed, orderIn, orderPet, ordersOf, petStatus, place, placeOrder, readOrder, sell } from "../store-orders.ts"

export const returning: ReadonlyArray<Sentence> = [
  writes("4.10.1", "returns a completed order, and frees its pet", async ({ http }) => {
    const sold = await sell(http)
    const response = await close(http, sold.id, "return")
    const returned = orderIn(response, 200)
    assert.deepEqual(returned, { ...sold, status: "returned", updatedAt: returned.updatedAt })
    assert.equal(await petStatus(http, sold.petId), "available")
    const read = await http.get(`/store/orders/${sold.id}`)
    assert.deepEqual([read.text, tagOf(read)], [response.text, tagOf(response)])
    const listed = ordersOf(await http.get(`/store/orders?status=returned&petId=${sold.petId}`))
    assert.deepEqual(listed, [returned])
    expectStatus(await orderPet(http, sold.petId), 201)
  }),
  writes("4.10.2", "returns the same response when an order is returned twice", async ({ http }) => {
    const { id, petId } = await sell(http)
    const first = expectStatus(await close(http, id, "return"), 200)
    const again = async () => {
      const { status, text } = await close(http, id, "return", { body: "{", contentType: "text/plain" })
      assert.deepEqual([status, text], [200, first.text])
    }
    await again()
    const other = orderIn(await orderPet(http, petId), 201)
    await closed(http, other.id, "complete")
    await again()
    assert.equal(await petStatus(http, petId), "sold")
  }),
  writes("4.10.3", "returns neither a placed order nor a cancelled one", async ({ http }) => {
    const placed = await place(http)
    const cancelled = await closed(http, (await place(http)).id, "cancel")
    for (const order of [placed, cancelled]) {
      expectError(await close(http, order.id, "return"), "order_not_completed")
      assert.deepEqual(await readOrder(http, order.id), order)
    }
    await refusesAll("order_not_found", [String(await unusedId(http)), "abc"], (id) => close(http, id, "return"))
  }),
  writes("4.10.4", "does not return an order whose pet has changed since", async ({ http }) => {
    const free = (petId: bigint) => patch(http, petId, `{"status":"available"}`)
    const sellAgain = async (petId: bigint) => {
      await free(petId)
      await closed(http, (await placeOrder(http, petId)).id, "complete")
    }
    const changes: Cases<(petId: bigint) => Promise<unknown>> = [
      ["is available again", free],
      ["has no status", (petId) => patch(http, petId, `{"status":null}`)],
      ["was removed", (petId) => remove(http, petId)],
      ["was sold again", sellAgain],
    ]
    await each(changes, async (change) => {
      const order = await sell(http)
      await change(order.petId)
      for (let time = 0; time < 2; time += 1) expectError(await close(http, order.id, "return"), "pet_changed")
      assert.deepEqual(await readOrder(http, order.id), order)
    })
  }),
  writes("4.10.5", "closes a returned order no more", async ({ http }) => {
    const { id } = await sell(http)
    const returned = await closed(http, id, "return")
    for (const closing of ["complete", "cancel"] as const) expectError(await close(http, id, closing), "order_closed")
    assert.deepEqual(await readOrder(http, id), returned)
  }),
  writes("4.10.6", "never executes a return and a change of the pet at the same time", async ({ http }) => {
    for (let round = 0; round < 10; round += 1) {
      const { id, petId } = await sell(http)
      const change = round % 2 === 0 ? patch(http, petId, `{"status":"pending"}`) : remove(http, petId)
      const [returned, changed] = await Promise.all([close(http, id, "return"), change])
      assert.ok(changed.status < 300, `the change returned ${changed.status} ${changed.text}`)
      const { status } = await readOrder(http, id)
      if (returned.status === 200) assert.equal(status, "returned")
      else assert.deepEqual([expectError(returned, "pet_changed") !== "", status], [true, "completed"])
    }
  }),
]
