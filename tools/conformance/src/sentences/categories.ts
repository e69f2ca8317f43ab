/** Section 4.8: category names, which are experimental. Each sentence creates its own categories and removes them. */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { type Json, members } from "@petstore/harness/exact-json"
import { expectError, expectStatus, pageOfRows, tagOf } from "@petstore/harness/expectations"
import type { Http, Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { create, cursorOf, everyRow, expectSorted, readPet, uniqueName, withId } from "../catalogue.ts"
import { allowsExactly, changedByProxies, exactlyOne, namesNothing, refusesAll, refusesTypes } from "../every.ts"
import { eachOf, keyless, reads, type Sentence, writes } from "../sentence.ts"
import { wrongNames } from "../wrong-values.ts"

interface Category {
  readonly id: bigint
  readonly name: string
}

/** Parses a category with exactly the members of 4.8.1. */
const categoryOf = (value: Json): Category => {
  const { id, name, ...others } = members(value) ?? {}
  assert.deepEqual(Object.keys(others), [], `unexpected members of a category: ${Object.keys(others).join()}`)
  assert.ok(typeof id === "bigint" && typeof name === "string", "expected an integer as id and a string as name")
  return { id, name }
}

const categoriesOf = pageOfRows(categoryOf)

const pathOf = (id: bigint | string): string => `/categories/${id}`

/** An identifier above 2^53 that no other run uses. */
const newId = (): bigint => BigInt.asIntN(64, randomBytes(8).readBigInt64BE() | (2n ** 53n) | 1n)

const put = (http: Http, id: bigint | string, body: string, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "PUT", path: pathOf(id), body, ...request })

const named = (name: string): string => JSON.stringify({ name })

const remove = (http: Http, id: bigint | string, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "DELETE", path: pathOf(id), ...request })

const conditional = (...headers: ReadonlyArray<string>): Request => ({ headers })

/** Creates a category, passes the category and its tag to `use`, and then removes the category. */
const withCategory = async (http: Http, use: (category: Category, tag: string) => Promise<unknown>): Promise<void> => {
  const category = { id: newId(), name: uniqueName() }
  const response = expectStatus(await put(http, category.id, named(category.name)), 201)
  assert.deepEqual(categoryOf(response.json), category)
  try {
    await use(category, tagOf(response))
  } finally {
    await remove(http, category.id)
  }
}

/** Declares a sentence that is tested with a new category, which is then removed. */
const onCategory = (
  number: string,
  title: string,
  test: (http: Http, category: Category, tag: string) => Promise<unknown>,
): Sentence => writes(number, title, ({ http }) => withCategory(http, (category, tag) => test(http, category, tag)))

const readCategory = async (http: Http, id: bigint): Promise<Category> =>
  categoryOf(expectStatus(await http.get(pathOf(id)), 200).json)

export const categories: ReadonlyArray<Sentence> = [
  onCategory("4.8.1", "names a new category and returns its location", async (http, { id }) => {
    await remove(http, id)
    const response = expectStatus(
      await put(http, id, '{"id":1,"other":true,"name":" Dogs "}', conditional("X-Forwarded-Host: evil.example")),
      201,
    )
    assert.deepEqual(categoryOf(response.json), { id, name: " Dogs " })
    assert.equal(response.header("location"), `${http.prefix}${pathOf(id)}`)
    assert.deepEqual(await readCategory(http, id), { id, name: " Dogs " })
  }),
  onCategory("4.8.2", "replaces the name of a category", async (http, { id, name }) => {
    for (const next of [`${name}!`, `${name}!`]) {
      const response = expectStatus(await put(http, id, named(next)), 200)
      assert.equal(response.header("location"), undefined)
      assert.deepEqual(categoryOf(response.json), { id, name: next })
      assert.deepEqual(await readCategory(http, id), { id, name: next })
    }
  }),
  onCategory("4.8.3", "sends an ETag with every response that contains a single category", async (http, { id, name }, tag) => {
    assert.equal((await http.get(pathOf(id))).header("etag"), tag)
    assert.equal((await put(http, id, named(name))).header("etag"), tag)
    assert.notEqual((await put(http, id, named(`${name}!`))).header("etag"), tag)
    expectStatus(await http.get(pathOf(id), conditional(`If-None-Match: ${tag}`)), 200)
  }),
  onCategory("4.8.4", "checks a name against the rules for a pet name", async (http, category) => {
    const { id } = category
    const wrong = Object.values(wrongNames).flatMap((names) => names.map((name) => `{"name":${name}}`))
    await refusesAll("invalid_body", ["{}", ...wrong, "[]", "null"], (body) => put(http, id, body))
    await refusesAll("invalid_json", ["", "{", '{"name":"a",}'], (body) => put(http, id, body))
    await refusesTypes((type) => put(http, id, named("a"), type))
    expectError(await put(http, id, named("a".repeat(65_536))), "body_too_large")
    assert.deepEqual(await readCategory(http, id), category)
    expectStatus(await put(http, id, named("🐕".repeat(1024))), 200)
  }),
  onCategory("4.8.5", "removes a name without changing pets", async (http, { id }) => {
    const pet = await create(http, { categoryId: id })
    const response = expectStatus(await remove(http, id, { body: "{", contentType: "text/plain" }), 204)
    assert.equal(response.body.length, 0)
    assert.deepEqual(await readPet(http, pet.id), pet)
    for (const gone of [await remove(http, id), await http.get(pathOf(id))]) expectError(gone, "category_not_found")
  }),
  writes(
    "4.8.6",
    "treats an identifier that is not an int64 as an unknown category, after checking the body",
    async ({ http }) => {
      const ids = ["abc", "01", "+1", "1.0", "1e2", "-0", "1%2F2", "%E0%A4%A", "9223372036854775808", "-9223372036854775809"]
      await namesNothing(http, "/categories", ids)
      await refusesAll("invalid_json", ids, (id) => put(http, id, "{"))
      await refusesAll("invalid_body", ids, (id) => put(http, id, "{}"))
      await refusesAll("body_too_large", ids, (id) => put(http, id, named("a".repeat(65_536))))
      await refusesAll("category_not_found", ids, (id) => put(http, id, named("a"), conditional("If-Match: *")))
      await refusesAll("invalid_parameter", ids, (id) => remove(http, id, conditional("If-Match: a")))
    },
  ),
  writes("4.8.7", "lists categories by ascending identifier, page by page", ({ http }) =>
    withCategory(http, (one) =>
      withCategory(http, async (other) => {
        const all = await everyRow(http, "/categories?limit=1", categoriesOf)
        expectSorted(all)
        for (const category of [one, other]) assert.deepEqual(withId(all, category.id), [category])
        const cursor = await cursorOf(http, "/categories?limit=1&status=sold")
        const queries = ["limit=0", "limit=101", "limit=1&limit=1", "limit=", "cursor=", "cursor=x", `cursor=x${cursor}`]
        await refusesAll("invalid_parameter", queries, (query) => http.get(`/categories?${query}`))
        expectError(await http.get(`/pets?cursor=${cursor}`), "invalid_parameter")
      }),
    ),
  ),
  writes("4.8.8", "allows exactly the methods of each path", ({ http }) => allowsExactly(http, "/categories")),
  writes("4.8.9", "lets a conditional PUT create an unknown category, but not replace an existing one", async ({ http }) => {
    const id = newId()
    for (const match of ["*", '"a"', 'W/"a", "b"']) {
      expectError(await put(http, id, named("a"), conditional(`If-Match: ${match}`)), "precondition_failed")
      expectError(await remove(http, id, conditional(`If-Match: ${match}`)), "category_not_found")
    }
    expectError(await remove(http, id, conditional("If-None-Match: *")), "category_not_found")
    expectStatus(await put(http, id, named("a"), conditional("If-None-Match: *")), 201)
    expectError(await put(http, id, named("b"), conditional("If-None-Match: *")), "precondition_failed")
    assert.deepEqual(await readCategory(http, id), { id, name: "a" })
    await remove(http, id)
  }),
  onCategory("4.8.10", "lets exactly one of several concurrent replacements of a name succeed", async (http, { id }, tag) => {
    const rename = (index: number) => put(http, id, named(`Name ${index}`), conditional(`If-Match: ${tag}`))
    const { json } = await exactlyOne("precondition_failed", rename, 10)
    assert.deepEqual(await readCategory(http, id), members(json))
  }),
  onCategory("4.8.11", "ignores an Idempotency-Key on PUT and DELETE", async (http, { id }) => {
    for (const key of ["one", "one", "a b", ""]) {
      expectStatus(await put(http, id, named(`Name ${key}`), conditional(`Idempotency-Key: ${key}`)), 200)
      assert.equal((await readCategory(http, id)).name, `Name ${key}`)
    }
    expectStatus(await remove(http, id, conditional("Idempotency-Key: a b")), 204)
  }),
  reads("4.8.12", "checks the credential before everything else", ({ http }) =>
    refusesAll("missing_credential", ["GET", "PUT", "DELETE", "PATCH"], (method) =>
      http.send({ method, path: pathOf("abc"), body: "{", ...keyless }),
    ),
  ),
  onCategory("4.8.13", "never shows the previous state in a later read", async (http, { id }) => {
    const listed = async () => withId(await everyRow(http, "/categories?limit=100", categoriesOf), id)[0]?.name
    for (const name of ["one", "another", "one"]) {
      expectStatus(await put(http, id, named(name)), 200)
      assert.deepEqual([(await readCategory(http, id)).name, await listed()], [name, name])
    }
    expectStatus(await remove(http, id), 204)
    expectError(await http.get(pathOf(id)), "category_not_found")
    assert.equal(await listed(), undefined)
  }),
]

/** Sentences 11.11 to 11.15: conditions on changes, tested with a category. */
export const conditionalChanges: ReadonlyArray<Sentence> = [
  onCategory("11.14", "changes a category only if If-Match names its tag", async (http, category, tag) => {
    const { id, name } = category
    const others = ['"other"', 'W/"other"', tag.replace('"', '"x'), tag.replace(/"$/, '-x"')].map((list) => `If-Match: ${list}`)
    await refusesAll("precondition_failed", others, (header) => put(http, id, named("a"), conditional(header)))
    await refusesAll("precondition_failed", others, (header) => remove(http, id, conditional(header)))
    assert.deepEqual(await readCategory(http, id), category)
    const ours = [tag, "*", ` ${tag} `, `"other", ${tag}`, `${tag} ,W/"a"`, `, ${tag},`, ...changedByProxies(tag)]
    await eachOf(ours, async (list) => expectStatus(await put(http, id, named(name), conditional(`If-Match: ${list}`)), 200))
    expectStatus(await remove(http, id, conditional(`If-Match: ${tag}`)), 204)
  }),
  onCategory("11.11", "reads several lines of If-Match as one list", async (http, { id, name }, tag) => {
    const lines = ['If-Match: "a"', `If-Match: ${tag}`, 'If-Match: "b"']
    expectStatus(await put(http, id, named(name), conditional(...lines)), 200)
    expectError(await put(http, id, named(name), conditional("If-Match: *", `If-Match: ${tag}`)), "invalid_parameter")
  }),
  onCategory("11.12", "rejects an empty or malformed list in a change", async (http, category, tag) => {
    const { id } = category
    await eachOf(["", ",", " , ", "a", tag.slice(0, -1), `${tag} ${tag}`, `*, ${tag}`, `w/${tag}`, `${tag}x`], async (list) => {
      for (const header of ["If-Match", "If-None-Match"]) {
        const message = expectError(await put(http, id, named("a"), conditional(`${header}: ${list}`)), "invalid_parameter")
        assert.ok(message.startsWith(header), message)
        expectError(await remove(http, id, conditional(`${header}: ${list}`)), "invalid_parameter")
      }
    })
    assert.deepEqual(await readCategory(http, id), category)
  }),
  onCategory("11.15", "does not change a category whose tag If-None-Match names", async (http, category, tag) => {
    const { id, name } = category
    const present = ["*", tag, `"other", ${tag}`, ...changedByProxies(tag)].map((list) => `If-None-Match: ${list}`)
    await refusesAll("precondition_failed", present, (header) => put(http, id, named("a"), conditional(header)))
    await refusesAll("precondition_failed", present, (header) => remove(http, id, conditional(header)))
    assert.deepEqual(await readCategory(http, id), category)
    expectError(await put(http, id, named("a"), conditional(`If-Match: ${tag}`, "If-None-Match: *")), "precondition_failed")
    expectStatus(await put(http, id, named(name), conditional('If-None-Match: "other"', `If-Match: ${tag}`)), 200)
  }),
]
