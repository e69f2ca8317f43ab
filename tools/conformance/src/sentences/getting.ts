/** Section 4.3: reading a pet by its identifier, and the deprecation of this operation. */
import assert from "node:assert/strict"
import { expectDeprecated, expectError, expectStatus, petOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { create, firstPet, unusedId } from "../catalogue.ts"
import { namesNothing } from "../every.ts"
import { listOf, reads, type Sentence, sentence, writes } from "../sentence.ts"
import { wrongIdentifiers } from "../wrong-values.ts"

const reading = listOf(1)

const getFirst = async (http: Http): Promise<WireResponse> => http.get(`/pets/${(await firstPet(http)).id}`)

export const getting: ReadonlyArray<Sentence> = [
  sentence("4.3.1", "responds with 200 and the pet", reading, async ({ http }) => {
    const pet = await firstPet(http)
    assert.deepEqual(petOf(expectStatus(await http.get(`/pets/${pet.id}`), 200).json), pet)
  }),
  reads("4.3.2", "responds with 404 for a pet that does not exist", async ({ http }) =>
    expectError(await http.get(`/pets/${await unusedId(http)}`), "pet_not_found"),
  ),
  sentence("4.3.3", "does not find a pet by an identifier that is not plain decimal", reading, async ({ http }) => {
    const { id } = await firstPet(http)
    await namesNothing(http, "/pets", [
      ...wrongIdentifiers.notDecimal,
      ...["+", "%2B", "0", "00000000000000000000000", "%20"].map((before) => before + id),
      ...["%20", "%0A", "%00", ".0", "e0", ";v=1", `,${id}`].map((after) => id + after),
    ])
  }),
  reads("4.3.4", "does not find a pet at or beyond the limits of int64", ({ http }) =>
    namesNothing(http, "/pets", wrongIdentifiers.atTheEdges),
  ),
  sentence("4.3.5", "does not find a pet by a badly encoded identifier", reading, async ({ http }) => {
    const { id } = await firstPet(http)
    const slashed = [`${id}%2F2`, `${id}%2f`, `%2F${id}`, `..%2F${id}`, `${id}%5C`]
    await namesNothing(http, "/pets", [...wrongIdentifiers.badlyEncoded, `${id}%`, ...slashed])
  }),
  sentence("4.3.6", "states when the operation was deprecated", reading, async ({ http }) =>
    assert.deepEqual((await getFirst(http)).all("deprecation"), ["@1764892800"]),
  ),
  sentence("4.3.7", "states when the operation will be removed", reading, async ({ http }) =>
    assert.deepEqual((await getFirst(http)).all("sunset"), ["Thu, 05 Dec 2030 00:00:00 GMT"]),
  ),
  sentence("4.3.8", "names the operation's replacement", reading, async ({ http }) =>
    assert.equal((await getFirst(http)).link("successor-version"), `${http.prefix}/pets`),
  ),
  sentence("4.3.9", "marks every response of the operation as deprecated", reading, async ({ http }) => {
    const { id } = await firstPet(http)
    expectDeprecated(await http.get(`/pets/${id}`, { method: "HEAD" }), http.prefix)
    for (const one of [id, await unusedId(http), "abc", "%E0%A4%A"]) expectDeprecated(await http.get(`/pets/${one}`), http.prefix)
  }),
  writes("4.3.10", "does not mark any other operation as deprecated", async ({ http }) => {
    await create(http)
    const responses = [
      await http.get("/pets"),
      await http.post(`{"name":"conformance","categoryId":1}`),
      await http.post("{}"),
      await http.get("/pets?limit=0"),
      await http.get("/store/orders"),
    ]
    for (const response of responses) {
      assert.equal(response.header("deprecation"), undefined)
      assert.equal(response.header("sunset"), undefined)
    }
  }),
]
