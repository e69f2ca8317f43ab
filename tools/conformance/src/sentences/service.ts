/** Sections 1 to 3: the service, its fields and its states. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { members } from "@petstore/harness/exact-json"
import { expectError, expectJson, expectStatus, pageOf } from "@petstore/harness/expectations"
import { create, createAndRead, createdPet, createFrom, newPetJson, patch, readPet, uniqueName } from "../catalogue.ts"
import { eachOf, keyless, reads, type Sentence, writes } from "../sentence.ts"

const statuses = ["available", "pending", "sold"]

export const service: ReadonlyArray<Sentence> = [
  writes("1.1", "adds a pet, lists it and fetches it", async ({ http }) => {
    await createAndRead(http)
    expectStatus(await http.get("/pets?limit=1"), 200)
  }),
  reads("1.2", "requires a credential for every operation", async ({ http }) => {
    expectError(await http.send({ method: "POST", ...keyless }), "missing_credential")
    for (const path of ["/pets", "/pets/1", "/store/orders"]) expectError(await http.get(path, keyless), "missing_credential")
  }),
  writes("1.3", "accepts and returns JSON", async ({ http }) => {
    const given = { name: uniqueName(), categoryId: 1n }
    const response = await http.post(newPetJson(given))
    expectJson(response)
    createdPet(response, given)
    pageOf(await http.get("/pets"))
  }),
  reads("1.5", "serves JSON for any Accept header", async ({ http }) => {
    const values = ["text/html", "application/xml", "*/*", "application/json;q=0", "image/png, text/*", "nonsense"]
    await eachOf(values, async (accept) => {
      pageOf(await http.get("/pets?limit=1", { headers: [`Accept: ${accept}`] }))
      expectError(await http.get("/nowhere", { headers: [`Accept: ${accept}`] }), "route_not_found")
    })
  }),
  writes("1.6", "writes integers above 2^53 exactly and without quotes", async ({ http }) => {
    const created = await http.post(newPetJson({ name: uniqueName(), categoryId: 9_007_199_254_740_993n }))
    const read = await http.get(`/pets/${createdPet(created).id}`)
    for (const { text } of [created, read]) assert.match(text, /"categoryId":\s*9007199254740993\s*[,}]/)
  }),

  writes("2.1", "returns a pet with all of its members", ({ http }) => create(http, { status: "sold" })),
  writes("2.2", "assigns an int64 as id", async ({ http }) => {
    const pet = await create(http)
    assert.equal(BigInt.asIntN(64, pet.id), pet.id)
  }),
  writes("2.3", "assigns different ids to two equal pets", async ({ http }) => {
    const given = { name: uniqueName() }
    assert.notEqual((await create(http, given)).id, (await create(http, given)).id)
  }),
  writes("2.4", "returns the name exactly as given", ({ http }) =>
    createAndRead(http, { name: `Bello "the dog" \\ / <b>&amp;</b> ${randomUUID()}` }),
  ),
  writes("2.5", "returns the categoryId exactly as given", ({ http }) =>
    createAndRead(http, { categoryId: -4_611_686_018_427_387_905n }),
  ),
  writes("2.6", "returns each status exactly as given", async ({ http }) => {
    for (const status of statuses) await createAndRead(http, { status })
  }),
  writes("2.7", "does not invent a status", async ({ http }) => {
    const pet = await create(http)
    assert.deepEqual(Object.keys(members((await http.get(`/pets/${pet.id}`)).json) ?? {}).sort(), ["categoryId", "id", "name"])
  }),
  writes("2.8", "does not return any other members of a pet", async ({ http }) => {
    const body = `{"name":${JSON.stringify(uniqueName())},"categoryId":1,"status":"sold","colour":"red","createdAt":1}`
    const { id } = await createFrom(http, body)
    const kept = members((await http.get(`/pets/${id}`)).json)
    assert.deepEqual(Object.keys(kept ?? {}).sort(), ["categoryId", "id", "name", "status"])
  }),
  writes("2.10", "accepts a category without a name", ({ http }) =>
    create(http, { categoryId: BigInt.asIntN(64, BigInt(`0x${randomUUID().replaceAll("-", "")}`)) }),
  ),

  writes("3.1", "creates a pet in each of the three states", async ({ http }) => {
    for (const status of statuses) await create(http, { status })
  }),
  writes("3.3", "changes a pet from any status to any other, or to no status", async ({ http }) => {
    for (const from of [...statuses, undefined]) {
      for (const to of [...statuses, undefined]) {
        const { id, status: _, ...rest } = await create(http, from === undefined ? {} : { status: from })
        expectStatus(await patch(http, id, `{"status":${JSON.stringify(to ?? null)}}`), 200)
        assert.deepEqual(await readPet(http, id), { id, ...rest, ...(to !== undefined && { status: to }) })
      }
    }
  }),
]
