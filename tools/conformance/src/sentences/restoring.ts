/** The last sentences of section 4.10: removed pets that are brought back, and the changes that taking back leaves. */
import assert from "node:assert/strict"
import { members } from "@petstore/harness/exact-json"
import { expectError, expectStatus, type Pet, pageOf, petOf, tagOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { create, idsOf, pageWith, patch, readPet, remove, restore, unusedId, walk } from "../catalogue.ts"
import { allowsExactly, refusesAll } from "../every.ts"
import { type Sentence, writes } from "../sentence.ts"
import { lifeOf } from "../store-changes.ts"
import { closed, orderPet, petStatus, sell } from "../store-orders.ts"
import { wrongIdentifiers } from "../wrong-values.ts"

const restored = async (http: Http, id: bigint): Promise<Pet> => petOf(expectStatus(await restore(http, id), 200).json)

/** A pet that was removed. */
const gone = async (http: Http, status?: string): Promise<Pet> => {
  const pet = await create(http, { categoryId: 2n ** 53n + 1n, ...(status !== undefined && { status }) })
  expectStatus(await remove(http, pet.id), 204)
  return pet
}

export const restoring: ReadonlyArray<Sentence> = [
  writes("4.10.7", "brings a removed pet back as it was", async ({ http }) => {
    const counts = async () => members((await http.get("/store/inventory")).json) ?? {}
    for (const status of ["available", "pending", "sold", undefined]) {
      const pet = await create(http, { categoryId: 2n ** 53n + 1n, ...(status !== undefined && { status }) })
      const page = (await pageWith(http, pet.id)).slice(http.prefix.length)
      const search = `?name=${encodeURIComponent(pet.name)}`
      const [read, before] = [await http.get(`/pets/${pet.id}`), await counts()]
      expectStatus(await remove(http, pet.id), 204)
      expectError(await http.get(`/pets/${pet.id}`), "pet_not_found")
      for (let times = 0; times < 3; times += 1) await http.get(page)
      const response = expectStatus(await restore(http, pet.id), 200)
      assert.deepEqual([response.text, tagOf(response)], [read.text, tagOf(read)])
      assert.equal((await http.get(`/pets/${pet.id}`)).text, read.text)
      assert.deepEqual(await walk(http, search), [pet])
      assert.ok(idsOf(pageOf(await http.get(page))).includes(pet.id), "the page does not have the restored pet")
      assert.deepEqual(await counts(), before)
    }
  }),
  writes("4.10.8", "leaves a pet that exists as it is", async ({ http }) => {
    const { id } = await gone(http, "sold")
    await restored(http, id)
    const changed = petOf((await patch(http, id, `{"name":"Rex","status":"pending"}`)).json)
    for (const request of [{}, { body: "{", contentType: "text/plain" }, { body: `{"name":"Mia"}` }]) {
      assert.deepEqual(petOf(expectStatus(await restore(http, id, request), 200).json), changed)
    }
    assert.deepEqual(await readPet(http, id), changed)
  }),
  writes("4.10.9", "does not find a pet that never existed", async ({ http }) => {
    const { notDecimal, atTheEdges } = wrongIdentifiers
    const ids = [String(await unusedId(http)), "0", ...notDecimal, ...atTheEdges]
    await refusesAll("pet_not_found", ids, (id) => restore(http, id))
  }),
  writes("4.10.10", "treats a restored pet like any other", async ({ http }) => {
    const { id } = await gone(http, "available")
    await restored(http, id)
    expectStatus(await orderPet(http, id), 201)
    expectError(await remove(http, id), "pet_reserved")
    const sold = await sell(http)
    for (let round = 0; round < 3; round += 1) {
      expectStatus(await remove(http, sold.petId), 204)
      assert.equal((await restored(http, sold.petId)).status, "sold")
    }
    await closed(http, sold.id, "return")
    assert.equal(await petStatus(http, sold.petId), "available")
    assert.notEqual((await create(http)).id, id)
  }),
  writes("4.10.11", "allows exactly the methods of each path", ({ http }) => allowsExactly(http, "/pets/{petId}")),
  writes("4.10.12", "leaves a change of each return, note and restored pet", ({ http }) => lifeOf(http)),
]
