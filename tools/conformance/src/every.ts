/** Checks the operations that the descriptions list. The expected responses are defined here, so a wrong description fails. */
import assert from "node:assert/strict"
import { type Description, operations } from "@petstore/core/contract"
import { members } from "@petstore/harness/exact-json"
import { type Code, expectError, expectStatus, listed, tagOf } from "@petstore/harness/expectations"
import type { Http, Message, Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { type Cases, each, eachOf, keyless, type Named } from "./sentence.ts"
import { wrongCharsets, wrongContentTypes } from "./wrong-values.ts"

const methods = {
  list: "GET",
  create: "POST",
  read: "GET",
  action: "POST",
  patch: "PATCH",
  replace: "PUT",
  remove: "DELETE",
} as const

/** A valid body for each method. The service checks the body before it looks up the identifier. */
const bodies: Readonly<Record<string, string>> = { PATCH: "{}", PUT: '{"name":"a"}' }

/** The error code for an identifier that does not exist, by parameter. */
const unknown: Readonly<Record<string, Code>> = {
  petId: "pet_not_found",
  orderId: "order_not_found",
  categoryId: "category_not_found",
}

const below = (root: string): ReadonlyArray<Pick<Description, "kind" | "path"> & { readonly method: string }> =>
  Object.values(operations)
    .filter(({ path }) => `${path}/`.startsWith(`${root}/`))
    .map(({ kind, path }) => ({ kind, path, method: methods[kind] }))

const all = below("")

const pathTo = (path: string, id: string | bigint): string => path.replace(/\{\w+\}/, String(id))

/** Lists the paths that can currently be read: each collection, and one resource of each collection that is not empty. */
export const readPaths = async (http: Http): Promise<ReadonlyArray<string>> => {
  const paths: Array<string> = []
  for (const { path } of all.filter(({ method }) => method === "GET")) {
    const [collection = "", parameter] = path.split("/{")
    const [first = null] = parameter === undefined ? [] : [(await http.get(`${collection}?limit=1`)).json].flat()
    const id = members(first)?.["id"]
    if (parameter === undefined) paths.push(path)
    else if (typeof id === "bigint") paths.push(pathTo(path, id))
  }
  return paths
}

/** Checks that every operation accepts a valid key and requires one. */
export const needsKey = async (http: Http): Promise<void> => {
  for (const path of await readPaths(http)) expectStatus(await http.get(path), 200)
  for (const { method, path } of all) {
    const request = { method, path: pathTo(path, "abc") }
    expectError(await http.send({ ...request, ...keyless }), "missing_credential")
    const response = await http.send(request)
    assert.ok(response.status !== 401 && response.status !== 405, `${method} ${path} returned ${response.status} for a valid key`)
  }
}

/** Checks that a read-only key reads everything, and that the service refuses its changes before it checks the request. */
export const onlyReads = async (http: Http): Promise<ReadonlyArray<WireResponse>> => {
  for (const path of await readPaths(http))
    for (const method of ["GET", "HEAD"]) expectStatus(await http.send({ method, path }), 200)
  const refused: Array<WireResponse> = []
  for (const { method, path } of all.filter(({ method }) => method !== "GET")) {
    for (const request of [{}, { body: "{", contentType: "text/plain", headers: ["If-Match: ", "Idempotency-Key: "] }]) {
      const response = await http.send({ method, path: pathTo(path, "abc"), ...request })
      expectError(response, "insufficient_scope")
      refused.push(response)
    }
  }
  return refused
}

/** Checks that `Allow` lists exactly the methods of each path below this one, for a wrong method and for OPTIONS. */
export const allowsExactly = async (http: Http, root: string): Promise<void> => {
  for (const [path, rows] of Map.groupBy(below(root), (row) => row.path)) {
    const names = new Set(["OPTIONS", ...rows.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))])
    const expected = [...names].sort()
    await eachOf(
      ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "TRACE"].filter((method) => !names.has(method)),
      async (method) => {
        const response = await http.send({ method, path: pathTo(path, 1n) })
        expectError(response, "method_not_allowed")
        assert.deepEqual(listed(response, "allow"), expected)
      },
    )
    const options = expectStatus(await http.send({ method: "OPTIONS", path: pathTo(path, 1n) }), 204)
    assert.deepEqual(listed(options, "allow"), expected)
  }
}

/** Checks that the service refuses the request for each of these values. */
export const refusesAll = <A extends Named>(
  code: Code,
  values: ReadonlyArray<A>,
  send: (value: A) => Promise<WireResponse>,
): Promise<void> => eachOf(values, async (value) => expectError(await send(value), code))

/** Requests a representation that differs from this tag, or from each of these tags. */
export const conditionally = (http: Http, path: string, tags: string): Promise<WireResponse> =>
  http.get(path, { headers: [`If-None-Match: ${tags}`] })

/** Sends many requests at once, of which exactly one succeeds, and all others are refused with the code. Returns the success. */
export const exactlyOne = async (
  code: Code,
  send: (index: number) => Promise<WireResponse>,
  count = 20,
): Promise<WireResponse> => {
  const responses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
  const [success, ...others] = responses.filter(({ status }) => status < 300)
  assert.ok(success !== undefined && others.length === 0, `${others.length} requests too many succeeded`)
  for (const response of responses) if (response !== success) expectError(response, code)
  return success
}

/** A tag as proxies that compress send it on: weak, or marked at its end. */
export const changedByProxies = (tag: string): ReadonlyArray<string> => [
  `W/${tag}`,
  ...["gzip", "br"].map((coding) => tag.replace(/"$/, `-${coding}"`)),
]

/** Checks that a read has a tag, and gets a 304 without a body while nothing has changed. Returns the tag. */
export const revalidates = async (http: Http, path: string): Promise<string> => {
  const full = expectStatus(await http.get(path), 200)
  const tag = tagOf(full)
  const unchanged = expectStatus(await conditionally(http, path, tag), 304)
  assert.deepEqual([unchanged.header("etag"), unchanged.body.length], [tag, 0])
  for (const response of [full, unchanged]) assert.equal(response.header("cache-control"), "private, no-cache")
  return tag
}

/** Checks that the service refuses each pet list query, with the prefix `start`, in a message that names the parameter. */
export const refusesQueries = (http: Http, parameter: string, queries: ReadonlyArray<string>, start = ""): Promise<void> =>
  eachOf(queries, async (query) => {
    const message = expectError(await http.get(`/pets?${start}${query}`), "invalid_parameter")
    assert.match(message, new RegExp(`\\b${parameter}\\b`), `expected a message that names ${parameter}, got: ${message}`)
  })

/** Checks that each malformed message gets a complete refusal, on a connection that closes without further bytes. */
export const refusesAndCloses = (http: Http, messages: Cases<Message>): Promise<void> =>
  each(messages, async (message) => {
    using connection = await http.open()
    expectError(await http.exchange(connection, message), "malformed_request")
    assert.ok(await connection.closes(), "the connection stayed open, or more bytes followed the response")
    expectStatus(await http.get("/pets?limit=1"), 200)
  })

/** Checks that the service refuses a body with any of these content types: by default none, and all but JSON in UTF-8. */
export const refusesTypes = (
  send: (request: Request) => Promise<WireResponse>,
  types: ReadonlyArray<string | null> = [null, "", ...wrongContentTypes, ...wrongCharsets],
): Promise<void> => refusesAll("unsupported_content_type", types, (contentType) => send({ contentType }))

/** Checks that every operation on a single resource below this path responds with 404 to these identifiers. */
export const namesNothing = async (http: Http, root: string, ids: ReadonlyArray<string>): Promise<void> => {
  for (const { method, path } of below(root)) {
    const [, parameter] = /\{(\w+)\}/.exec(path) ?? []
    if (parameter === undefined) continue
    const code = unknown[parameter] ?? assert.fail(`${parameter} has no code`)
    const body = bodies[method]
    const request = { method, ...(body !== undefined && { body }) }
    await refusesAll(code, ids, (id) => http.send({ ...request, path: pathTo(path, id) }))
  }
}
