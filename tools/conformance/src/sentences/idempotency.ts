/** Section 12: idempotency keys. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { expectError, expectStatus, petOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { createdOnce, newPetJson, patch, remove, uniqueName, walk } from "../catalogue.ts"
import { refusesAll } from "../every.ts"
import { type Sentence, sentence, writes } from "../sentence.ts"
import { closed, orderIn, orderPet } from "../store-orders.ts"

const post = (http: Http, body: string, key: string) => http.post(body, { headers: [`Idempotency-Key: ${key}`] })

const newRequest = () => {
  const name = uniqueName()
  return { body: newPetJson({ name, categoryId: 9_007_199_254_740_993n, status: "pending" }), name, key: randomUUID() }
}

const named = async (http: Http, name: string): Promise<number> =>
  (await walk(http, "?limit=100&status=pending")).filter((pet) => pet.name === name).length

export const idempotency: ReadonlyArray<Sentence> = [
  writes("12.1", "creates two pets for two equal requests without a key", async ({ http }) => {
    const { body, name } = newRequest()
    expectStatus(await http.post(body), 201)
    expectStatus(await http.post(body), 201)
    assert.equal(await named(http, name), 2)
  }),
  writes("12.2", "repeats the first response when a request is repeated, and creates one pet", async ({ http }) => {
    const { body, name, key } = newRequest()
    const first = expectStatus(await post(http, body, key), 201)
    for (let count = 0; count < 3; count += 1) {
      const again = await post(http, body, key)
      const kept = ["location", "etag", "content-type"] as const
      assert.deepEqual(
        [again.status, again.text, ...kept.map((name) => again.header(name))],
        [201, first.text, ...kept.map((name) => first.header(name))],
      )
    }
    assert.equal(await named(http, name), 1)
  }),
  writes("12.3", "rejects the same key with a different body", async ({ http }) => {
    const { body, name, key } = newRequest()
    expectStatus(await post(http, body, key), 201)
    const others = [body.replace("pending", "sold"), `${body} `, body.replace(",", ", "), newRequest().body]
    await refusesAll("idempotency_key_reused", others, (other) => post(http, other, key))
    assert.equal(await named(http, name), 1)
  }),
  writes("12.4", "rejects a malformed key", async ({ http }) => {
    const { body, name } = newRequest()
    const keys = ["", " ", `""`, "a b", "x".repeat(256), `"${"x".repeat(256)}"`, "é", `"a`, `a"`, "a\tb", `"a b"`]
    await refusesAll("invalid_parameter", keys, (key) => post(http, body, key))
    // An API key that was pasted here must not appear in the response (5.22).
    const pasted = await post(http, body, `${http.key} and more`)
    expectError(pasted, "invalid_parameter")
    assert.ok(!pasted.text.includes(http.key), "the response contains the API key")
    expectError(await http.post(body, { headers: ["Idempotency-Key: a", "Idempotency-Key: a"] }), "invalid_parameter")
    assert.equal(await named(http, name), 0)
    expectStatus(await post(http, body, `${randomUUID()}${"x".repeat(219)}`), 201)
    expectStatus(await post(http, body, `!#$%&'()*+,-./:;<=>?@[]^_\`{|}~${randomUUID()}`), 201)
  }),
  writes("12.5", "treats a bare and a quoted key as the same", async ({ http }) => {
    const { body, name, key } = newRequest()
    const bare = await post(http, body, key)
    const quoted = await post(http, body, `"${key}"`)
    expectStatus(bare, 201)
    assert.deepEqual([quoted.status, quoted.text], [201, bare.text])
    assert.equal(await named(http, name), 1)
  }),
  writes("12.12", "creates one pet for concurrent requests with one key, and returns that pet to each", async ({ http }) => {
    const { body, name, key } = newRequest()
    await createdOnce(() => post(http, body, key))
    assert.equal(await named(http, name), 1)
  }),
  writes("12.16", "marks every repeated response, including one to an order, but never a first response", async ({ http }) => {
    const mark = "idempotent-replayed"
    const { body, key } = newRequest()
    const first = await post(http, body.replace("pending", "available"), key)
    assert.equal(first.header(mark), undefined)
    assert.equal((await post(http, body.replace("pending", "available"), key)).header(mark), "true")
    const ofOrder = { headers: [`Idempotency-Key: ${key}`] }
    const { id } = petOf(first.json)
    assert.equal((await orderPet(http, id, ofOrder)).header(mark), undefined)
    assert.equal((await orderPet(http, id, ofOrder)).header(mark), "true")
    assert.equal((await http.post(body)).header(mark), undefined)
    const refused = await post(http, `${body} `, key)
    expectError(refused, "idempotency_key_reused")
    assert.equal(refused.header(mark), undefined)
  }),
  writes("12.7", "releases the key of a refused request", async ({ http }) => {
    const { body, key } = newRequest()
    expectError(await post(http, "{}", key), "invalid_body")
    expectError(await post(http, "{", key), "invalid_json")
    expectStatus(await post(http, body, key), 201)
  }),
  sentence("12.8", "keeps the keys of two accounts separate", { writes: true, needs: ["secondKey"] }, async ({ http, given }) => {
    const { body, key } = newRequest()
    const one = await post(http, body, key)
    const two = await post(http.withKey(given.secondKey ?? ""), body, key)
    expectStatus(one, 201)
    expectStatus(two, 201)
    assert.notEqual(petOf(one.json).id, petOf(two.json).id)
  }),
  writes("12.14", "repeats the first response after the pet was corrected and removed", async ({ http }) => {
    const { body, name, key } = newRequest()
    const first = await post(http, body, key)
    const { id } = petOf(first.json)
    expectStatus(await patch(http, id, `{"status":"available"}`), 200)
    const ofOrder = { headers: [`Idempotency-Key: ${randomUUID()}`] }
    const order = await orderPet(http, id, ofOrder)
    await closed(http, orderIn(order, 201).id, "cancel")
    const again = async (): Promise<void> => {
      assert.equal((await post(http, body, key)).text, first.text)
      assert.equal((await orderPet(http, id, ofOrder)).text, order.text)
    }
    await again()
    expectStatus(await remove(http, id), 204)
    await again()
    expectError(await http.get(`/pets/${id}`), "pet_not_found")
    assert.equal(await named(http, name), 0)
  }),
  writes("12.11", "ignores the header on a GET", async ({ http }) => {
    const key = randomUUID()
    for (const path of ["/pets?limit=1", "/pets?limit=2", "/pets?limit=1"]) {
      expectStatus(await http.get(path, { headers: [`Idempotency-Key: ${key}`] }), 200)
    }
    expectStatus(await http.get("/pets", { headers: ["Idempotency-Key: a b"] }), 200)
  }),
]
