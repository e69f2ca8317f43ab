/** Section 11: conditional reads. */
import assert from "node:assert/strict"
import { expectDeprecated, expectError, expectStatus, pageOf, tagOf } from "@petstore/harness/expectations"
import { type Http, pagesFrom } from "@petstore/harness/http"
import { create, firstPet, pages } from "../catalogue.ts"
import { changedByProxies, conditionally, readPaths, revalidates } from "../every.ts"
import { eachOf, listOf, NotTested, type Sentence, sentence, writes } from "../sentence.ts"

const reading = listOf(1)

const tagAt = async (http: Http, path: string): Promise<string> => tagOf(expectStatus(await http.get(path), 200))

const onEveryRead = (number: string, title: string, holds: (http: Http, path: string) => Promise<void>): Sentence =>
  sentence(number, title, reading, async ({ http }) =>
    eachOf(["/pets?limit=1", "/pets?status=sold", ...(await readPaths(http))], (path) => holds(http, path)),
  )

const lastPage = async (http: Http): Promise<readonly [path: string, count: number]> => {
  let count = 0
  for await (const { target, response } of pagesFrom(http, `${http.prefix}/pets?limit=100`)) {
    if (response.link("next") === undefined) return [target.slice(http.prefix.length), pageOf(response).length]
    count += 1
    if (count === 1000) break
  }
  throw new NotTested("the catalogue has more than 100,000 pets, too many to read")
}

export const conditional: ReadonlyArray<Sentence> = [
  onEveryRead("11.1", "sends a strong tag with every read", async (http, path) => {
    const tag = await tagAt(http, path)
    assert.equal(await tagAt(http, path), tag, "the tag changed although the response did not")
  }),
  onEveryRead("11.2", "lets private caches store responses, but requires revalidation", async (http, path) =>
    assert.equal((await http.get(path)).header("cache-control"), "private, no-cache"),
  ),
  onEveryRead("11.3", "responds with 304 and no body while nothing has changed", async (http, path) => {
    const tag = await revalidates(http, path)
    assert.equal((await http.get(path, { method: "HEAD", headers: [`If-None-Match: ${tag}`] })).status, 304)
  }),
  onEveryRead("11.16", "accepts *, a list and a tag that a proxy changed", async (http, path) => {
    const tag = await tagAt(http, path)
    for (const condition of [
      "*",
      `"other", ${tag}`,
      `${tag}, "other"`,
      `"a,b",${tag}`,
      `W/"other",W/${tag}`,
      ...changedByProxies(tag),
    ]) {
      assert.equal((await conditionally(http, path, condition)).status, 304, condition)
    }
  }),
  onEveryRead("11.5", "responds with 200 to a different or malformed tag", async (http, path) => {
    const tag = await tagAt(http, path)
    const malformed = [tag.replaceAll(`"`, ""), tag.slice(0, -1), "", `"`, ",", `"${tag}"`, `garbage, ${tag}`, `${tag}, garbage`]
    for (const condition of [`"other"`, `${tag.slice(0, -1)}x"`, ...malformed]) {
      assert.equal((await conditionally(http, path, condition)).status, 200, condition)
    }
  }),
  writes("11.6", "changes a page's tag when a pet is added to it", async ({ http }) => {
    await create(http)
    let [path, count] = await lastPage(http)
    if (count === 100) {
      await create(http)
      ;[path, count] = await lastPage(http)
    }
    const tag = await tagAt(http, path)
    await create(http)
    assert.notEqual(await tagAt(http, path), tag)
    assert.equal((await conditionally(http, path, tag)).status, 200)
  }),
  writes("11.7", "changes a page's tag when only a next link is added", async ({ http }) => {
    await create(http)
    const [path, count] = await lastPage(http)
    const full = path.replace("limit=100", `limit=${count}`)
    const tag = await tagAt(http, full)
    const before = await http.get(full)
    assert.equal(before.link("next"), undefined)
    await create(http)
    const after = expectStatus(await conditionally(http, full, tag), 200)
    assert.notEqual(after.header("etag"), tag)
    assert.equal(after.text, before.text)
    assert.ok(after.link("next") !== undefined)
    for await (const page of pages(http, full.slice("/pets".length), 2)) assert.ok(page.length > 0)
  }),
  sentence("11.8", "checks the credential before the condition", reading, async ({ http }) => {
    const tag = await tagAt(http, "/pets")
    for (const condition of [tag, "*"]) {
      const headers = [`If-None-Match: ${condition}`]
      expectError(await http.get("/pets", { authorization: [], headers }), "missing_credential")
      expectError(await http.get("/pets", { authorization: ["Bearer nonsense"], headers }), "invalid_credential")
    }
  }),
  sentence("11.9", "marks a 304 from getPet as deprecated", reading, async ({ http }) => {
    const path = `/pets/${(await firstPet(http)).id}`
    const response = expectStatus(await conditionally(http, path, await tagAt(http, path)), 304)
    expectDeprecated(response, http.prefix)
  }),
]
