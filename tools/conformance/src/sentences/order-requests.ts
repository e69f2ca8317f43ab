/** Sentences 4.5.18 to 4.5.31: the checks of order requests, and the responses to them. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import { create, createdOnce, unusedId } from "../catalogue.ts"
import { allowsExactly, conditionally, namesNothing, refusesAll, refusesTypes, revalidates } from "../every.ts"
import { each, eachOf, keyless, type Sentence, writes } from "../sentence.ts"
import {
  closed,
  noteOn,
  orderIn,
  orderOf,
  orderPet,
  petStatus,
  place,
  placeOrder,
  postOrder,
  readOrder,
} from "../store-orders.ts"
import { wrongIdentifiers, wrongNotes } from "../wrong-values.ts"

export const orderRequests: ReadonlyArray<Sentence> = [
  writes("4.5.18", "returns the order's location as an origin-relative path", async ({ http }) => {
    const pet = await create(http, { status: "available" })
    const response = await orderPet(http, pet.id, { headers: ["X-Forwarded-Host: evil.example"] })
    const order = orderOf(response.json)
    assert.equal(response.header("location"), `${http.prefix}/store/orders/${order.id}`)
    assert.deepEqual(orderOf((await http.send({ target: response.header("location") ?? "" })).json), order)
  }),
  writes("4.5.30", "checks an order's body against the same rules as a pet's", async ({ http }) => {
    const { id } = await create(http, { status: "available" })
    const values = [
      ...["{}", `{"petid":${id}}`, `{"__proto__":{"petId":${id}}}`, "[]", "null", `${id}`],
      ...[`{"petId":"${id}"}`, `{"petId":${id}.5}`, `{"petId":null}`, `{"petId":[${id}]}`, `{"petId":9223372036854775808}`],
    ]
    await eachOf(values, async (body) => {
      const message = expectError(await postOrder(http, body), "invalid_body")
      assert.match(message, body.startsWith("{") ? /\bpetId\b/ : /\bobject\b/)
    })
    await refusesAll("invalid_body", [...wrongNotes.map((note) => `"note":${note}`), `"Note":"x"`], (member) =>
      postOrder(http, `{"petId":${id},${member}}`),
    )
    await refusesAll("invalid_json", ["", "{", `{"petId":${id},}`, `{"petId":01}`, "x"], (body) => postOrder(http, body))
    const body = `{"petId":${id}}`
    await refusesTypes((type) => postOrder(http, body, type))
    expectError(await postOrder(http, body.replace("}", `,"x":"${"a".repeat(65_536)}"}`)), "body_too_large")
    assert.equal(await petStatus(http, id), "available")
    const order = orderIn(await postOrder(http, `{"id":1,"status":"completed","petId":"x","petId":${id}.0,"createdAt":0}`), 201)
    assert.deepEqual([order.petId, order.status], [id, "placed"])
  }),
  writes("4.5.20", "does not find an order by an orderId that is not an int64", async ({ http }) => {
    const { notDecimal, atTheEdges, badlyEncoded } = wrongIdentifiers
    await namesNothing(http, "/store/orders", [...notDecimal, ...atTheEdges, ...badlyEncoded, "01", "+1", "1%2F2"])
  }),
  writes("4.5.21", "ignores the body of a request to complete or cancel an order, whatever its type", async ({ http }) => {
    const requests: ReadonlyArray<readonly [string, Request]> = [
      ["none", {}],
      ["empty JSON", { body: "" }],
      ["not JSON", { body: "{" }],
      ["another order", { body: `{"status":"cancelled","petId":1}` }],
      ["text", { body: "complete", contentType: "text/plain" }],
      ["a form", { body: "a=b", contentType: "application/x-www-form-urlencoded" }],
      ["no type", { body: "\u0000", contentType: null }],
      ["a coding", { body: "x", headers: ["Content-Encoding: gzip"] }],
      ["chunks", { chunks: ["{", "x"] }],
      ["a body over the limit", { body: "a".repeat(100_000) }],
    ]
    await each(requests, async (request) => {
      for (const closing of ["complete", "cancel"] as const) {
        const { id } = await place(http)
        const { status } = await closed(http, id, closing, request)
        assert.equal(status, closing === "complete" ? "completed" : "cancelled")
      }
    })
    const { id } = await place(http)
    using connection = await http.open()
    const path = `/store/orders/${id}/complete`
    expectStatus(await http.exchange(connection, { method: "POST", path, body: "{", keepAlive: true }), 200)
    expectStatus(await http.exchange(connection, { path: `/store/orders/${id}` }), 200)
  }),
  writes("4.5.31", "allows exactly the methods of each path", ({ http }) => allowsExactly(http, "/store/orders")),
  writes("4.5.23", "checks credential, route, method, parameters and body in that order", async ({ http }) => {
    const { id, petId } = await place(http)
    for (const path of ["/store/orders", `/store/orders/${id}/complete`, `/store/orders/${id}/cancel`]) {
      const wrong = { path, body: "{", contentType: "text/plain" }
      expectError(await http.send({ ...wrong, ...keyless, method: "POST" }), "missing_credential")
      expectError(await http.send({ ...wrong, ...keyless, method: "DELETE" }), "missing_credential")
      expectError(await http.send({ ...wrong, path: `${path}/`, method: "POST" }), "route_not_found")
      expectError(await http.send({ ...wrong, method: "DELETE" }), "method_not_allowed")
    }
    expectError(await http.send({ ...keyless, path: "/store/orders?limit=0" }), "missing_credential")
    const unknownPet = await unusedId(http)
    const badKey = { headers: ["Idempotency-Key: a b"] }
    expectError(await orderPet(http, unknownPet, badKey), "invalid_parameter")
    expectError(await orderPet(http, unknownPet, { contentType: "text/plain" }), "unsupported_content_type")
    expectError(await postOrder(http, `{"petId":"${petId}"}`), "invalid_body")
    const paths = ["/store", "/store/", "/store/orders/", `/store/orders/${id}/`, `/store/orders/${id}/delete`]
    await refusesAll("route_not_found", paths, (path) => http.send({ method: "POST", path }))
    assert.equal((await readOrder(http, id)).status, "placed")
  }),
  writes("4.5.24", "sends an ETag with reads of orders, and changes it when the status changes", async ({ http }) => {
    const { id } = await place(http)
    const path = `/store/orders/${id}`
    const tag = await revalidates(http, path)
    await revalidates(http, "/store/orders?limit=1")
    await closed(http, id, "complete")
    const changed = await conditionally(http, path, tag)
    assert.equal(orderIn(changed, 200).status, "completed")
    assert.notEqual(changed.header("etag"), tag)
  }),
  writes(
    "4.5.25",
    "repeats the first response when an order request is repeated, whatever the order's later state",
    async ({ http }) => {
      const pet = await create(http, { status: "available" })
      const key = { headers: [`Idempotency-Key: ${randomUUID()}`] }
      const order = () => postOrder(http, `{"petId":${pet.id},"note":"for Ada"}`, key)
      const first = expectStatus(await order(), 201)
      const again = async () => {
        const response = expectStatus(await order(), 201)
        assert.deepEqual([response.text, response.header("location")], [first.text, first.header("location")])
      }
      await again()
      expectError(await orderPet(http, pet.id, key), "idempotency_key_reused")
      const { id } = orderOf(first.json)
      expectStatus(await noteOn(http, id, `{"note":"for Grace"}`), 200)
      await again()
      await closed(http, id, "cancel")
      await again()
      assert.equal(await petStatus(http, pet.id), "available")
      await placeOrder(http, pet.id)
      await again()
      const other = await create(http, { status: "available" })
      const shared = { headers: [`Idempotency-Key: ${randomUUID()}`] }
      await createdOnce(() => orderPet(http, other.id, shared))
    },
  ),
  writes("4.5.26", "releases the key of a refused order", async ({ http }) => {
    const { id, petId } = await place(http)
    const key = { headers: [`Idempotency-Key: ${randomUUID()}`] }
    expectError(await orderPet(http, petId, key), "pet_not_available")
    expectError(await orderPet(http, await unusedId(http), key), "pet_not_found")
    expectError(await postOrder(http, "{}", key), "invalid_body")
    await closed(http, id, "cancel")
    expectStatus(await orderPet(http, petId, key), 201)
  }),
]
