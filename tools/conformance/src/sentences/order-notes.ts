/** Sentences 4.5.33 to 4.5.35: notes on orders. */
import assert from "node:assert/strict"
import { expectError, expectStatus, listed, tagOf } from "@petstore/harness/expectations"
import { unusedId } from "../catalogue.ts"
import { changedByProxies, exactlyOne, refusesAll, refusesTypes } from "../every.ts"
import { type Sentence, writes } from "../sentence.ts"
import { closed, noteOn, orderIn, place, readOrder, sell } from "../store-orders.ts"
import { wrongNotes } from "../wrong-values.ts"

const note = `{"note":"for Ada"}`

export const orderNotes: ReadonlyArray<Sentence> = [
  writes("4.5.33", "replaces and removes the note of an order in every state, and changes nothing else", async ({ http }) => {
    const placed = await place(http)
    const cancelled = await closed(http, (await place(http)).id, "cancel")
    const returned = await closed(http, (await sell(http)).id, "return")
    for (const order of [placed, await sell(http), cancelled, returned]) {
      for (const text of ["", " Réx 🐕 ", "🐕".repeat(256), "a\nb\t\\\"'"]) {
        const changed = orderIn(await noteOn(http, order.id, JSON.stringify({ note: text, status: "placed", id: 1 })), 200)
        assert.deepEqual(changed, { ...order, note: text })
        assert.deepEqual(orderIn(await noteOn(http, order.id, "{}"), 200), changed)
        assert.deepEqual(await readOrder(http, order.id), changed)
      }
      assert.deepEqual(orderIn(await noteOn(http, order.id, `{"note":null}`), 200), order)
      assert.deepEqual(await readOrder(http, order.id), order)
    }
  }),
  writes("4.5.34", "checks content type, body, order and condition in that order", async ({ http }) => {
    const { id } = await place(http)
    const accepted = listed(await http.send({ method: "OPTIONS", path: `/store/orders/${id}` }), "accept-patch")
    assert.deepEqual(accepted, ["application/json", "application/merge-patch+json"])
    const contentType = "application/merge-patch+json"
    assert.equal(orderIn(await noteOn(http, id, note, { contentType }), 200).note, "for Ada")
    await refusesTypes((type) => noteOn(http, id, note, type))
    const ids = [String(await unusedId(http)), "abc", "9223372036854775808"]
    for (const one of [String(id), ...ids]) {
      await refusesAll("invalid_body", [...wrongNotes.map((text) => `{"note":${text}}`), `{"Note":"x"}`, "[]"], (body) =>
        noteOn(http, one, body),
      )
      expectError(await noteOn(http, one, note, { headers: ["If-Match: x"] }), "invalid_parameter")
      expectError(await noteOn(http, one, "{"), "invalid_json")
    }
    await refusesAll("order_not_found", ids, (one) => noteOn(http, one, note, { headers: ['If-Match: "other"'] }))
    const read = await http.get(`/store/orders/${id}`)
    const tag = tagOf(read)
    for (const headers of [['If-Match: "other"'], [`If-None-Match: ${tag}`], ["If-None-Match: *"]])
      expectError(await noteOn(http, id, `{"note":"x"}`, { headers }), "precondition_failed")
    assert.equal((await http.get(`/store/orders/${id}`)).text, read.text)
    for (const list of [...changedByProxies(tag), `"other", ${tag}`, "*"])
      expectStatus(await noteOn(http, id, note, { headers: [`If-Match: ${list}`] }), 200)
    const changed = await noteOn(http, id, `{"note":"for Grace"}`, { headers: [`If-Match: ${tag}`] })
    assert.notEqual(tagOf(changed), tag)
    assert.equal(tagOf(await http.get(`/store/orders/${id}`)), tagOf(changed))
  }),
  writes("4.5.35", "lets exactly one of many changes with the same If-Match succeed", async ({ http }) => {
    const { id } = await place(http)
    const headers = [`If-Match: ${tagOf(await http.get(`/store/orders/${id}`))}`]
    await exactlyOne("precondition_failed", (index) => noteOn(http, id, `{"note":"${index}"}`, { headers }))
  }),
]
