/** Sentences 1 to 3: the service, its fields, its states. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { members } from "@petstore/harness/exact-json"
import { expectError, expectStatus, pageOf, petOf } from "@petstore/harness/expectations"
import { create, createFrom, createMany, newPetJson, uniqueName } from "../catalogue.ts"
import { each, eachOf, type Sentence, sentence } from "../sentence.ts"

const statuses = ["available", "pending", "sold"]

export const service: ReadonlyArray<Sentence> = [
  sentence("1.1", "adds a pet, lists it and fetches it", { writes: true }, async ({ http }) => {
    const pet = await create(http)
    assert.deepEqual(petOf((await http.get(`/pets/${pet.id}`)).json), pet)
    expectStatus(await http.get("/pets?limit=1"), 200)
  }),
  sentence("1.2", "wants a credential for every operation", { writes: false }, async ({ http }) => {
    const operations = [
      ["GET", "/pets"],
      ["POST", "/pets"],
      ["GET", "/pets/1"],
      ["GET", "/store/orders"],
    ] as const
    await each(
      operations.map(([method, path]) => [`${method} ${path}`, { method, path }] as const),
      async (request) => expectError(await http.send({ ...request, authorization: [] }), "missing_credential"),
    )
  }),
  sentence("1.3", "takes and gives JSON", { writes: true }, async ({ http }) => {
    const answer = await http.post(newPetJson({ name: uniqueName(), categoryId: 1n }))
    expectStatus(answer, 201)
    assert.match(answer.header("content-type") ?? "none", /^application\/json(?:; ?charset=utf-8)?$/i)
    petOf(answer.json)
    pageOf(await http.get("/pets"))
  }),
  sentence("1.5", "serves JSON whatever Accept asks for", { writes: false }, async ({ http }) => {
    await eachOf(
      ["text/html", "application/xml", "*/*", "application/json;q=0", "image/png, text/*", "nonsense"],
      async (accept) => {
        pageOf(await http.get("/pets?limit=1", { headers: [["Accept", accept]] }))
        expectError(await http.get("/nowhere", { headers: [["Accept", accept]] }), "route_not_found")
      },
    )
  }),
  sentence("1.6", "writes integers past 2^53 to the last digit, without quotes", { writes: true }, async ({ http }) => {
    const answer = await http.post(newPetJson({ name: uniqueName(), categoryId: 9_007_199_254_740_993n }))
    expectStatus(answer, 201)
    assert.match(answer.text, /"categoryId":\s*9007199254740993\s*[,}]/)
    const again = await http.get(`/pets/${petOf(answer.json).id}`)
    assert.match(again.text, /"categoryId":\s*9007199254740993\s*[,}]/)
  }),

  sentence("2.1", "gives a pet with all of its members", { writes: true }, ({ http }) => create(http, { status: "sold" })),
  sentence("2.2", "assigns an int64 as id", { writes: true }, async ({ http }) => {
    const pet = await create(http)
    assert.equal(BigInt.asIntN(64, pet.id), pet.id)
  }),
  sentence("2.3", "gives two equal pets two ids", { writes: true }, async ({ http }) => {
    const [one, two] = await createMany(http, 2, { name: uniqueName() })
    assert.notEqual(one?.id, two?.id)
  }),
  sentence("2.4", "gives name back as it was given", { writes: true }, async ({ http }) => {
    const pet = await create(http, { name: `Bello "the dog" \\ / <b>&amp;</b> ${randomUUID()}` })
    assert.deepEqual(petOf((await http.get(`/pets/${pet.id}`)).json), pet)
  }),
  sentence("2.5", "gives categoryId back as it was given", { writes: true }, async ({ http }) => {
    const pet = await create(http, { categoryId: -4_611_686_018_427_387_905n })
    assert.deepEqual(petOf((await http.get(`/pets/${pet.id}`)).json), pet)
  }),
  sentence("2.6", "gives each status back as it was given", { writes: true }, async ({ http }) => {
    for (const status of statuses) {
      const pet = await create(http, { status })
      assert.deepEqual(petOf((await http.get(`/pets/${pet.id}`)).json), pet)
    }
  }),
  sentence("2.7", "invents no status", { writes: true }, async ({ http }) => {
    const pet = await create(http)
    assert.deepEqual(Object.keys(members((await http.get(`/pets/${pet.id}`)).json) ?? {}).sort(), ["categoryId", "id", "name"])
  }),
  sentence("2.8", "gives a pet no further members", { writes: true }, async ({ http }) => {
    const pet = await createFrom(
      http,
      `{"name":${JSON.stringify(uniqueName())},"categoryId":1,"status":"sold","colour":"red","createdAt":1}`,
    )
    const kept = members((await http.get(`/pets/${pet.id}`)).json)
    assert.deepEqual(Object.keys(kept ?? {}).sort(), ["categoryId", "id", "name", "status"])
  }),
  sentence("2.10", "takes a category that nobody named before", { writes: true }, ({ http }) =>
    create(http, { categoryId: BigInt.asIntN(64, BigInt(`0x${randomUUID().replaceAll("-", "")}`)) }),
  ),

  sentence("3.1", "creates a pet in each of the three states", { writes: true }, async ({ http }) => {
    for (const status of statuses) await create(http, { status })
  }),
  sentence("3.2", "has no operation that changes a pet's status", { writes: true }, async ({ http }) => {
    const pet = await create(http, { status: "available" })
    const body = `{"id":${pet.id},"name":"x","categoryId":1,"status":"sold"}`
    for (const method of ["PUT", "PATCH", "POST"]) await http.send({ method, path: `/pets/${pet.id}`, body })
    await http.post(body)
    assert.deepEqual(petOf((await http.get(`/pets/${pet.id}`)).json), pet)
  }),
]
