/** Sentences 4.1.16 to 4.1.25: following the links from page to page. */
import assert from "node:assert/strict"
import { expectStatus, type Pet, pageOf } from "@petstore/harness/expectations"
import { create, cursorOf, expectSorted, pages, walk, withId } from "../catalogue.ts"
import { refusesQueries } from "../every.ts"
import { listOf, reads, type Sentence, sentence } from "../sentence.ts"
import { distorted, wrongCursors } from "../wrong-values.ts"

export const paging: ReadonlyArray<Sentence> = [
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
