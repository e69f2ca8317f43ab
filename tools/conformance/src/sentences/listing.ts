/** Sentences 4.1.1 to 4.1.29: the pet list, its parameters, and the links from page to page. */
import assert from "node:assert/strict"
import { expectError, expectStatus, type Pet, pageOf } from "@petstore/harness/expectations"
import { create, cursorOf, expectSorted, needPets, pages, walk, withId } from "../catalogue.ts"
import { refusesQueries } from "../every.ts"
import { eachOf, listOf, reads, type Sentence, sentence, writes } from "../sentence.ts"
import { distorted, words, wrongCursors, wrongLimits, wrongStatuses } from "../wrong-values.ts"

const statuses = ["available", "pending", "sold"] as const

export const listing: ReadonlyArray<Sentence> = [
  reads("4.1.1", "responds with 200 and an array of pets", async ({ http }) => pageOf(await http.get("/pets"))),
  sentence("4.1.2", "returns 20 pets by default", listOf(21), async ({ http }) => {
    assert.equal(pageOf(await http.get("/pets")).length, 20)
  }),
  sentence("4.1.3", "returns as many pets as limit specifies, from 1 to 100", listOf(100), async ({ http }) => {
    for (const limit of [1, 2, 19, 20, 21, 99, 100]) {
      assert.equal(pageOf(await http.get(`/pets?limit=${limit}`)).length, limit)
    }
  }),
  reads("4.1.4", "returns only pets with the requested status", async (context) => {
    for (const status of statuses) {
      await needPets(context, 2, status)
      const page = pageOf(await context.http.get(`/pets?status=${status}&limit=100`))
      assert.ok(page.length >= 2)
      for (const pet of page) assert.equal(pet.status, status)
    }
  }),
  writes("4.1.5", "lists a pet without a status only if there is no status filter", async ({ http }) => {
    const pet = await create(http)
    for (const status of statuses) {
      const listed = withId(await walk(http, `?limit=100&status=${status}`), pet.id)
      assert.deepEqual(listed, [], `the list of ${status} pets contains a pet without a status`)
    }
    assert.deepEqual(withId(await walk(http, "?limit=100"), pet.id), [pet], "the unfiltered list does not contain the pet")
  }),
  reads("4.1.7", "rejects a limit below 1", ({ http }) => refusesQueries(http, "limit", wrongLimits.belowOne, "limit=")),
  reads("4.1.8", "rejects a limit above 100", ({ http }) => refusesQueries(http, "limit", wrongLimits.aboveHundred, "limit=")),
  reads("4.1.9", "rejects a limit that is not decimal digits", async ({ http }) => {
    await refusesQueries(http, "limit", wrongLimits.notDigits, "limit=")
    await refusesQueries(http, "limit", ["limit", "%6Cimit=x"])
  }),
  reads("4.1.10", "rejects a repeated limit", ({ http }) => {
    const queries = words("limit=5&limit=6 limit=5&limit=5 limit=5&status=sold&limit= limit&limit=5 limit=5&%6Cimit=5")
    return refusesQueries(http, "limit", queries)
  }),
  reads("4.1.11", "rejects a status that is not one of the three", async ({ http }) => {
    await refusesQueries(http, "status", wrongStatuses.notOneOfThree, "status=")
    await refusesQueries(http, "status", ["status"])
  }),
  reads("4.1.12", "rejects a repeated status", ({ http }) =>
    refusesQueries(http, "status", ["status=sold&status=pending", "status=sold&status=sold", "status=&status=sold"]),
  ),
  reads("4.1.52", "ignores unknown parameters, but not those that are known in another spelling", async ({ http }) => {
    const values = words(`
        unknown=1 ?limit=0 statuses=x offset=-1 page=x&page=y __proto__=1 x=%zz && = =5 % a=b=c
        limit=1&Limit=1000 LIMIT=x&limit=5 limit[]=x&limit=5
      `)
    await eachOf(values, async (query) => pageOf(await http.get(`/pets?${query}`)))
    await refusesQueries(http, "limit", words("Limit=5 LIMIT=x limit[]=5 limit%5B%5D=5 limit%20=5 _limit=5 li-mit=5"))
    await refusesQueries(http, "status", words("Status=sold status[]=sold&page=2"))
  }),
  reads("4.1.53", "decodes the query before checking it", async ({ http }) => {
    pageOf(await http.get("/pets?limit=%31%30&status=s%6Fld"))
    pageOf(await http.get("/pets?%73tatus=sold"))
    await refusesQueries(http, "limit", wrongLimits.badlyEncoded, "limit=")
    await refusesQueries(http, "status", wrongStatuses.badlyEncoded, "status=")
    const message = expectError(await http.get("/pets?status=L%F6"), "invalid_parameter")
    assert.ok(message.includes("L%F6"), message)
  }),
  reads("4.1.15", "names the wrong parameter", async ({ http }) => {
    await refusesQueries(http, "limit", ["limit=x&status=sold"])
    await refusesQueries(http, "status", ["status=x&limit=5"])
    await refusesQueries(http, "cursor", ["cursor=x&limit=5"])
  }),
  reads("4.1.26", "returns an empty array if no pet matches", async ({ http }) => {
    // A catalogue can have pets with every status, so this test checks only the pages that are empty.
    for (const status of statuses) {
      const response = await http.get(`/pets?status=${status}`)
      if (pageOf(response).length === 0) assert.equal(response.text, "[]")
    }
  }),
  reads("4.1.27", "ignores the body of a GET and keeps the connection usable", async ({ http }) => {
    using connection = await http.open()
    const first = await http.exchange(connection, { body: `{"limit":5}`, keepAlive: true })
    pageOf(first)
    pageOf(await http.exchange(connection, { chunks: ["not", "json"], keepAlive: true }))
    pageOf(await http.exchange(connection, {}))
  }),
  writes("4.1.29", "lists a pet as soon as it is created", async ({ http }) => {
    const pet = await create(http, { status: "pending" })
    assert.ok((await walk(http, "?status=pending&limit=100")).some(({ id }) => id === pet.id))
    expectStatus(await http.get(`/pets/${pet.id}`), 200)
  }),

  sentence("4.1.16", "links to the next page only if there is one", listOf(2), async ({ http }) => {
    assert.ok((await http.get("/pets?limit=1")).link("next") !== undefined, "a page that is not the last one has no next link")
    const all = await http.get("/pets?limit=100")
    if (pageOf(all).length < 100) assert.equal(all.link("next"), undefined, "the last page links to another page")
    const count = pageOf(all).length
    // A full page with nothing after it is also the last page.
    if (count < 100) assert.equal((await http.get(`/pets?limit=${count}`)).link("next"), undefined)
  }),
  sentence("4.1.17", "visits every pet exactly once when the links are followed", listOf(7), async ({ http, write }) => {
    const created = write
      ? [await create(http, { status: "sold" }), await create(http), await create(http, { status: "sold" })]
      : []
    if (!write) {
      const seen: Array<Pet> = []
      for await (const page of pages(http, "?limit=3", 30)) seen.push(...page)
      expectSorted(seen)
      assert.ok(seen.length >= 7)
      return
    }
    const all = await walk(http, "?limit=100")
    expectSorted(all)
    for (const pet of created) assert.deepEqual(withId(all, pet.id), [pet])
    const sold = await walk(http, "?limit=7&status=sold")
    expectSorted(sold)
    const expected = all.filter(({ status }) => status === "sold")
    assert.deepEqual(sold, expected)
  }),
  sentence(
    "4.1.18",
    "visits existing pets exactly once while other pets are added",
    { writes: true, pets: 30 },
    async ({ http }) => {
      const before = await walk(http, "?limit=100")
      const seen: Array<bigint> = []
      let adding = 3
      for await (const page of pages(http, "?limit=11")) {
        seen.push(...page.map(({ id }) => id))
        if (adding > 0) await create(http, { status: "sold" })
        adding -= 1
      }
      assert.equal(new Set(seen).size, seen.length, "a pet appears twice")
      const missing = before.filter(({ id }) => !seen.includes(id))
      assert.deepEqual(missing, [])
    },
  ),
  sentence("4.1.19", "builds the link from its own path only", listOf(2), async ({ http }) => {
    const next = (await http.get("/pets?limit=1")).link("next") ?? ""
    assert.ok(next.startsWith(`${http.prefix}/pets?`), next)
    const forged = await http.get("/pets?limit=1", {
      host: ["evil.example"],
      headers: ["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: gopher", "Forwarded: host=evil.example"],
    })
    // A proxy might refuse a different host. If the proxy forwards the request, the service must not echo the host.
    if (forged.status === 200) assert.equal(forged.link("next"), next)
  }),
  sentence("4.1.20", "keeps limit and status in the link", listOf(4, "sold"), async ({ http }) => {
    const next = (await http.get("/pets?limit=2&status=sold")).link("next")
    const query = new URL(next ?? "", http.base).searchParams
    assert.equal(query.get("limit"), "2")
    assert.equal(query.get("status"), "sold")
    assert.deepEqual([...query.keys()].toSorted(), ["cursor", "limit", "status"])
  }),
  sentence("4.1.21", "rejects a cursor with one altered character", listOf(2), async ({ http }) => {
    const cursor = await cursorOf(http, "/pets?limit=1")
    assert.match(cursor, /^[\w.~-]+$/, "the cursor contains characters that need encoding")
    await refusesQueries(http, "cursor", distorted(cursor), "limit=1&cursor=")
  }),
  sentence("4.1.22", "rejects a cursor from a list with a different filter", listOf(2, "sold"), async ({ http }) => {
    const sold = await cursorOf(http, "/pets?limit=1&status=sold")
    const all = await cursorOf(http, "/pets?limit=1")
    expectStatus(await http.get(`/pets?status=sold&cursor=${sold}`), 200)
    await refusesQueries(http, "cursor", [`status=pending&cursor=${sold}`, `cursor=${sold}`, `status=sold&cursor=${all}`])
  }),
  sentence("4.1.23", "accepts a cursor with a different limit", listOf(6), async ({ http }) => {
    const cursor = await cursorOf(http, "/pets?limit=1")
    const first = pageOf(await http.get("/pets?limit=6"))
    assert.deepEqual(pageOf(await http.get(`/pets?limit=5&cursor=${cursor}`)), first.slice(1))
    assert.deepEqual(pageOf(await http.get(`/pets?cursor=${cursor}`)).slice(0, 5), first.slice(1))
  }),
  reads("4.1.24", "rejects an empty or made-up cursor", ({ http }) => refusesQueries(http, "cursor", wrongCursors, "cursor=")),
  sentence("4.1.25", "rejects a repeated cursor", listOf(2), async ({ http }) => {
    const cursor = await cursorOf(http, "/pets?limit=1")
    await refusesQueries(http, "cursor", [cursor, ""], `cursor=${cursor}&cursor=`)
  }),
]
