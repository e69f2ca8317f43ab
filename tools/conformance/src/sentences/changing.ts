/** Sentence 2.9 and section 4.9: corrections and removals of pets, which are experimental. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { members } from "@petstore/harness/exact-json"
import { expectError, expectStatus, listed, type Pet, pageOf, petOf, tagOf } from "@petstore/harness/expectations"
import type { Http, Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { create, pageWith, patch, readPet, remove, unusedId, walk } from "../catalogue.ts"
import { changedByProxies, exactlyOne, refusesAll, refusesTypes } from "../every.ts"
import { each, type Sentence, writes } from "../sentence.ts"
import { closed, orderPet, place, readOrder } from "../store-orders.ts"
import { wrongCategories, wrongNames, wrongPetStatuses } from "../wrong-values.ts"

const corrected = (response: WireResponse): Pet => petOf(expectStatus(response, 200).json)

const tagOfPet = async (http: Http, id: bigint): Promise<string> => tagOf(await http.get(`/pets/${id}`))

const rex = `{"name":"Rex"}`

const changes = [
  ["PATCH", (http: Http, id: bigint, headers: ReadonlyArray<string>) => patch(http, id, rex, { headers })],
  ["DELETE", (http: Http, id: bigint, headers: ReadonlyArray<string>) => remove(http, id, { headers })],
] as const

const malformed = ["", ",", "abc", '"abc', "W/*", '*, "abc"', `"a" "b"`]

export const changing: ReadonlyArray<Sentence> = [
  writes("2.9", "never assigns a removed pet's identifier to a different pet", async ({ http }) => {
    const { id } = await create(http)
    expectStatus(await remove(http, id), 204)
    for (let count = 0; count < 3; count += 1) assert.notEqual((await create(http)).id, id)
  }),
  writes("4.9.1", "changes the members in the body and nothing else", async ({ http }) => {
    let pet = await create(http, { status: "available" })
    for (const given of [{ name: " Réx 🐕 " }, { categoryId: -(2n ** 63n) }, { status: "sold" }]) {
      const [[name, value] = ["", ""]] = Object.entries(given)
      pet = { ...pet, ...given }
      const body = `{"${name}":${typeof value === "bigint" ? value : JSON.stringify(value)}}`
      assert.deepEqual(corrected(await patch(http, pet.id, body)), pet)
      assert.deepEqual(await readPet(http, pet.id), pet)
    }
  }),
  writes("4.9.2", "lets null remove only the status", async ({ http }) => {
    const { status: _, ...pet } = await create(http, { status: "sold" })
    for (const body of [`{"name":null}`, `{"categoryId":null}`]) expectError(await patch(http, pet.id, body), "invalid_body")
    assert.deepEqual(corrected(await patch(http, pet.id, `{"status":null}`)), pet)
    assert.deepEqual(await readPet(http, pet.id), pet)
  }),
  writes("4.9.3", "checks each member against the rules for a new pet", async ({ http }) => {
    const pet = await create(http, { status: "sold" })
    const wrong = [
      ...Object.values(wrongNames).flatMap((names) => names.map((name) => `"name":${name}`)),
      ...Object.values(wrongCategories).flatMap((ids) => ids.map((id) => `"categoryId":${id}`)),
      ...wrongPetStatuses.filter((status) => status !== "null").map((status) => `"status":${status}`),
    ].map((member) => `{${member},"colour":1}`)
    await refusesAll("invalid_body", [...wrong, "[]", "null", "1", `"x"`, `{"Status":"sold"}`, `{"category-id":7}`], (body) =>
      patch(http, pet.id, body),
    )
    await refusesAll("invalid_json", ["", "{", "{}x"], (body) => patch(http, pet.id, body))
    for (const body of ["{}", `{"id":1,"colour":"red"}`]) {
      assert.deepEqual(corrected(await patch(http, pet.id, body)), pet)
    }
    assert.deepEqual(corrected(await patch(http, pet.id, `{"categoryId":1e2}`)), { ...pet, categoryId: 100n })
    assert.deepEqual(await readPet(http, pet.id), { ...pet, categoryId: 100n })
  }),
  writes("4.9.4", "accepts both media types for a patch", async ({ http }) => {
    const { id } = await create(http)
    for (const type of ["application/merge-patch+json", "Application/Merge-Patch+JSON", "application/json"]) {
      for (const contentType of [type, `${type}; charset=utf-8`]) {
        const name = randomUUID()
        assert.equal(corrected(await patch(http, id, `{"name":"${name}"}`, { contentType })).name, name)
      }
    }
    const accepted = listed(await http.send({ method: "OPTIONS", path: `/pets/${id}` }), "accept-patch")
    assert.deepEqual(accepted, ["application/json", "application/merge-patch+json"])
    const sendRex = (type: Request) => patch(http, id, rex, type)
    await refusesTypes(sendRex)
    await refusesTypes(sendRex, ["application/merge-patch+json; charset=latin1"])
  }),
  writes("4.9.5", "removes a pet permanently", async ({ http }) => {
    const { id } = await create(http, { status: "sold" })
    const response = await remove(http, id, { body: "not JSON" })
    assert.deepEqual([response.status, response.text], [204, ""])
    for (const again of [await http.get(`/pets/${id}`), await remove(http, id), await patch(http, id, rex)]) {
      expectError(again, "pet_not_found")
    }
    assert.ok(!(await walk(http, "?limit=100")).some((pet) => pet.id === id))
  }),
  writes("4.9.6", "keeps the orders of a removed pet", async ({ http }) => {
    const { id, petId } = await place(http)
    const order = await closed(http, id, "complete")
    expectStatus(await remove(http, petId), 204)
    assert.deepEqual(await readOrder(http, id), order)
    expectError(await orderPet(http, petId), "pet_not_found")
  }),
  writes("4.9.7", "refuses to remove a reserved pet or to change its status", async ({ http }) => {
    const { id, petId } = await place(http)
    await refusesAll("pet_reserved", [`"available"`, `"sold"`, "null"], (status) =>
      patch(http, petId, `{"name":"Rex","status":${status}}`),
    )
    expectError(await remove(http, petId), "pet_reserved")
    const pet = corrected(await patch(http, petId, `{"name":"Rex","categoryId":9,"status":"pending"}`))
    assert.deepEqual(pet, { id: petId, name: "Rex", categoryId: 9n, status: "pending" })
    await closed(http, id, "cancel")
    assert.equal(corrected(await patch(http, petId, `{"status":"sold"}`)).status, "sold")
    expectStatus(await remove(http, petId), 204)
  }),
  writes("4.9.8", "removes a pending pet that no order holds", async ({ http }) => {
    const { id } = await create(http, { status: "pending" })
    corrected(await patch(http, id, `{"status":"available"}`))
    corrected(await patch(http, id, `{"status":"pending"}`))
    expectStatus(await remove(http, id), 204)
  }),
  writes("4.9.9", "never executes an order for a pet and a change to it at the same time", async ({ http }) => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await create(http, { status: "available" })
      const change = round % 2 === 0 ? remove(http, id) : patch(http, id, `{"status":"sold"}`)
      const [ordered, changed] = await Promise.all([orderPet(http, id), change])
      assert.ok(
        (ordered.status === 201) !== changed.status < 300,
        `expected one success, got ${ordered.status} and ${changed.status}`,
      )
      if (ordered.status === 201) expectError(changed, "pet_reserved")
      else expectError(ordered, "pet_not_found", "pet_not_available")
    }
  }),
  writes("4.9.10", "checks the body before the pet", async ({ http }) => {
    const unused = await unusedId(http)
    const ids = [String(unused), "abc", "1.0", "+1", "9223372036854775808"]
    await refusesAll("invalid_body", ids, (id) => patch(http, id, `{"name":7}`))
    await refusesAll("invalid_parameter", ids, (id) => patch(http, id, rex, { headers: ["If-Match: x"] }))
    await refusesAll("invalid_parameter", ids, (id) => remove(http, id, { headers: ["If-Match: x"] }))
    await refusesAll("pet_not_found", ids, (id) => patch(http, id, rex))
    await refusesAll("pet_not_found", ids, (id) => remove(http, id))
    expectError(await patch(http, unused, `{"name":"${"x".repeat(2_000_000)}"}`), "body_too_large")
  }),
  writes("4.9.20", "changes a pet only if If-Match names its tag", ({ http }) =>
    each(changes, async (change) => {
      const { id } = await create(http)
      const tag = await tagOfPet(http, id)
      const refused = ['"other"', 'W/"other"', tag.replace(/"$/, 'x"'), tag.replace(/"$/, '-x"')]
      await refusesAll("precondition_failed", refused, (list) => change(http, id, [`If-Match: ${list}`]))
      await refusesAll("invalid_parameter", malformed, (list) => change(http, id, [`If-Match: ${list}`]))
      assert.equal(await tagOfPet(http, id), tag)
      const ours = (own: string) => [
        [own],
        [`"other",${own}`],
        ['"other"', own],
        ["*"],
        ...changedByProxies(own).map((one) => [one]),
      ]
      for (const [index] of ours("").entries()) {
        const other = await create(http)
        const lists = ours(await tagOfPet(http, other.id))[index] ?? []
        const headers = lists.map((list) => `If-Match: ${list}`)
        const response = await change(http, other.id, headers)
        assert.ok(response.status < 300, `${headers.join()} returned ${response.status} ${response.text}`)
      }
    }),
  ),
  writes("4.9.21", "does not change a pet whose tag If-None-Match names", ({ http }) =>
    each(changes, async (change) => {
      const { id } = await create(http)
      const tag = await tagOfPet(http, id)
      const refused = [tag, `"other", ${tag}`, "*", ...changedByProxies(tag)]
      await refusesAll("precondition_failed", refused, (list) => change(http, id, [`If-None-Match: ${list}`]))
      await refusesAll("invalid_parameter", malformed, (list) => change(http, id, [`If-None-Match: ${list}`]))
      expectError(await change(http, id, [`If-Match: ${tag}`, `If-None-Match: ${tag}`]), "precondition_failed")
      assert.equal(await tagOfPet(http, id), tag)
      const response = await change(http, id, ['If-None-Match: "other"'])
      assert.ok(response.status < 300)
    }),
  ),
  writes("4.9.13", "checks the pet, then the condition, then the order", async ({ http }) => {
    const headers = ['If-Match: "other"']
    const unused = await unusedId(http)
    expectError(await remove(http, unused, { headers }), "pet_not_found")
    expectError(await patch(http, unused, rex, { headers }), "pet_not_found")
    const { petId } = await place(http)
    expectError(await remove(http, petId, { headers }), "precondition_failed")
    expectError(await patch(http, petId, `{"status":"sold"}`, { headers }), "precondition_failed")
    expectError(await remove(http, petId, { headers: ["If-Match: *"] }), "pet_reserved")
  }),
  writes("4.9.14", "lets exactly one of many changes with the same If-Match succeed", async ({ http }) => {
    const { id } = await create(http)
    const headers = [`If-Match: ${await tagOfPet(http, id)}`]
    await exactlyOne("precondition_failed", (index) => patch(http, id, `{"name":"Rex ${index}"}`, { headers }))
  }),
  writes("4.9.15", "sends the same tag in every response that contains only this pet", async ({ http }) => {
    const created = await http.post(`{"name":"${randomUUID()}","categoryId":1}`)
    const { id } = petOf(created.json)
    assert.equal(tagOf(created), await tagOfPet(http, id))
    const changed = await patch(http, id, rex)
    assert.equal(tagOf(changed), await tagOfPet(http, id))
    assert.notEqual(tagOf(changed), tagOf(created))
  }),
  writes("4.9.16", "never shows the previous state in a later read", async ({ http }) => {
    const counts = async () => members((await http.get("/store/inventory")).json) ?? {}
    for (let round = 0; round < 5; round += 1) {
      const pet = await create(http, { status: "available" })
      const target = await pageWith(http, pet.id)
      const listed = async (): Promise<Pet | undefined> => pageOf(await http.send({ target })).find(({ id }) => id === pet.id)
      for (let read = 0; read < 3; read += 1) assert.deepEqual(await listed(), pet)
      const [tag, before] = [tagOf(await http.send({ target })), await counts()]
      const changed = corrected(await patch(http, pet.id, `{"name":"Rex","status":"sold"}`))
      assert.deepEqual(await listed(), changed)
      assert.notEqual(tagOf(await http.send({ target })), tag)
      assert.notDeepEqual(await counts(), before)
      expectStatus(await remove(http, pet.id), 204)
      expectError(await http.get(`/pets/${pet.id}`), "pet_not_found")
      assert.equal(await listed(), undefined)
    }
  }),
  writes("4.9.17", "ignores an idempotency key", async ({ http }) => {
    const headers = ["Idempotency-Key: one"]
    const { id } = await create(http)
    assert.equal(corrected(await patch(http, id, rex, { headers })).name, "Rex")
    assert.equal(corrected(await patch(http, id, `{"name":"Ada"}`, { headers })).name, "Ada")
    expectStatus(await remove(http, id, { headers }), 204)
    expectError(await remove(http, id, { headers: ["Idempotency-Key: \x07"] }), "pet_not_found", "malformed_request")
  }),
  writes("4.9.18", "does not mention a deprecation", async ({ http }) => {
    const { id } = await create(http)
    for (const response of [await patch(http, id, rex), await remove(http, id), await remove(http, id)]) {
      for (const name of ["deprecation", "sunset", "link"]) assert.equal(response.header(name), undefined)
    }
  }),
]
