/** Sentences 10.1 to 10.17: the order of the checks, and which paths and methods reach an operation. */
import assert from "node:assert/strict"
import { type Code, expectError, expectStatus, listed, pageOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { firstPet } from "../catalogue.ts"
import { allowsExactly, refusesAll } from "../every.ts"
import { eachOf, keyless, listOf, NotTested, reads, type Sentence, sentence, writes } from "../sentence.ts"
import { nearlyBelow, nearlyRoutes, otherMethods } from "../wrong-values.ts"

/** Checks that each target gets 404 with a key, and this code without one. Targets are whole paths, so the base must be `/v1`. */
const leadNowhere = async (http: Http, withoutKey: Code, targets: ReadonlyArray<string>): Promise<void> => {
  if (http.prefix !== "/v1") throw new NotTested("the base address has a path before /v1")
  await refusesAll(withoutKey, targets, (target) => http.send({ target, ...keyless }))
  await refusesAll("route_not_found", targets, (target) => http.send({ target }))
}

/** Checks targets that are under `/v1` but are not routes. */
const inside = (http: Http, targets: ReadonlyArray<string>) => leadNowhere(http, "missing_credential", targets)

/** Checks targets that are not under `/v1`. */
const beside = (http: Http, targets: ReadonlyArray<string>) => leadNowhere(http, "route_not_found", targets)

const withReader = { writes: false, needs: ["readOnlyKey"] } as const

const collection = ["GET", "HEAD", "OPTIONS", "POST"]
const single = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH"]

export const wirePaths: ReadonlyArray<Sentence> = [
  reads("10.1", "refuses a message that is not HTTP before it requires a key", async ({ http }) => {
    expectError(await http.sendOnce("nonsense\r\n\r\n"), "malformed_request")
    expectError(await http.get("/pets", { ...keyless, headers: [`X-Large: ${"a".repeat(20_000)}`] }), "headers_too_large")
  }),
  reads("10.2", "checks the credential before the route", async ({ http }) => {
    await refusesAll("missing_credential", ["/nowhere", "/pets/1/2", "/store", "/admin"], (path) => http.get(path, keyless))
    expectError(await http.get("/nowhere", { authorization: ["Bearer nonsense"] }), "invalid_credential")
  }),
  reads("10.3", "checks the route before the method", ({ http }) =>
    refusesAll("route_not_found", ["GET", "POST", "OPTIONS", "PROPFIND", "TRACE"], (method) =>
      http.send({ method, path: "/nowhere" }),
    ),
  ),
  reads("10.4", "checks the method before parameters and body", async ({ http }) => {
    const request = { method: "PROPFIND", path: "/pets?limit=0", body: "{", contentType: "text/plain" }
    expectError(await http.send(request), "method_not_allowed")
    expectError(await http.send({ method: "PROPFIND", path: "/pets/abc" }), "method_not_allowed")
  }),
  reads("10.5", "checks the credential before parameters and body", async ({ http }) => {
    expectError(await http.get("/pets?limit=0", keyless), "missing_credential")
    expectError(await http.get("/pets/abc", keyless), "missing_credential")
    expectError(await http.post("{", keyless), "missing_credential")
    expectError(await http.post("a".repeat(100_000), { ...keyless, contentType: "text/plain" }), "missing_credential")
    expectError(await http.send({ ...keyless, method: "PROPFIND" }), "missing_credential")
  }),

  reads("10.6", "compares paths case-sensitively and without normalising them", async ({ http }) => {
    await inside(http, nearlyRoutes.spelledOtherwise)
    await beside(http, nearlyBelow.spelledOtherwise)
  }),
  reads("10.7", "treats a path with a trailing slash as a different path", ({ http }) => inside(http, nearlyRoutes.withSlash)),
  reads("10.8", "does not serve anything at /v1 itself", ({ http }) => inside(http, nearlyRoutes.base)),
  reads("10.9", "does not ignore empty segments", async ({ http }) => {
    await inside(http, nearlyRoutes.withEmptySegment)
    await beside(http, nearlyBelow.withEmptySegment)
  }),
  reads("10.10", "does not resolve dot segments", async ({ http }) => {
    await inside(http, nearlyRoutes.withDots)
    await beside(http, nearlyBelow.withDots)
  }),
  reads("10.11", "treats a target in absolute form like the path alone", async ({ http }) => {
    const absolute = `http://${http.base.host}${http.prefix}/pets?limit=1`
    pageOf(await http.send({ target: absolute }))
    expectError(await http.send({ target: absolute, ...keyless }), "missing_credential")
    expectError(await http.send({ target: absolute.replace("limit=1", "limit=0") }), "invalid_parameter")
    expectError(await http.send({ target: absolute.replace("/pets", "/nowhere"), ...keyless }), "missing_credential")
  }),

  reads("10.42", "refuses a target that is neither a path nor an http address", async ({ http }) => {
    const path = `${http.prefix}/pets`
    const wrong = [
      ...[`http://%ff@${http.base.host}${path}`, `http://me:secret@a${path}`, `ftp://a${path}`],
      ...["pets", "a:443", `http:${path}`],
    ]
    await refusesAll("malformed_request", wrong, (target) => http.send({ target, ...keyless }))
    await refusesAll("malformed_request", wrong, (target) => http.send({ target }))
    for (const host of ["a;b", "[::1]:3000", "%ff"]) pageOf(await http.send({ target: `http://${host}${path}` }))
  }),

  // A faulty service might execute these methods.
  writes("10.46", "responds with 405 to other methods", async ({ http }) => {
    await refusesAll("method_not_allowed", otherMethods, (method) => http.send({ method, path: "/pets" }))
    await refusesAll("method_not_allowed", otherMethods, (method) => http.send({ method, path: "/store/orders" }))
    await refusesAll("method_not_allowed", ["PUT", "POST", "PROPFIND", "TRACE"], (method) =>
      http.send({ method, path: "/pets/abc" }),
    )
    await allowsExactly(http, "")
  }),
  reads("10.13", "allows exactly GET, HEAD, OPTIONS and POST on /pets", async ({ http }) =>
    assert.deepEqual(listed(await http.send({ method: "PROPFIND", path: "/pets" }), "allow"), collection),
  ),
  reads("10.47", "allows exactly DELETE, GET, HEAD, OPTIONS and PATCH on /pets/{petId}", async ({ http }) =>
    assert.deepEqual(listed(await http.send({ method: "PROPFIND", path: "/pets/1" }), "allow"), single),
  ),
  sentence("10.48", "checks for a read-only key after path and method", withReader, async ({ http, given }) => {
    const reader = http.withKey(given.readOnlyKey ?? "")
    const methods = ["POST", "PATCH", "PROPFIND"]
    await refusesAll("route_not_found", methods, (method) => reader.send({ method, path: "/nowhere" }))
    await refusesAll("method_not_allowed", methods, (method) => reader.send({ method, path: "/store/inventory" }))
    expectStatus(await reader.send({ method: "OPTIONS", path: "/pets" }), 204)
    expectError(await reader.send({ method: "POST", path: "/pets", body: "{" }), "insufficient_scope")
    expectError(await reader.send({ method: "DELETE", path: "/pets/abc", headers: ["If-Match: "] }), "insufficient_scope")
  }),
  sentence("10.15", "responds to HEAD as to GET, without a body", listOf(2), async ({ http }) => {
    const changing = new Set(["date", "x-request-id", "connection", "keep-alive", "ratelimit"])
    const { id } = await firstPet(http)
    const values = ["/pets", "/pets?limit=1", `/pets/${id}`, "/pets/abc", "/store/orders", "/pets?limit=0", "/nowhere"]
    await eachOf(values, async (path) => {
      const get = await http.get(path)
      using connection = await http.open()
      const head = await http.exchange(connection, { method: "HEAD", path })
      assert.equal(head.status, get.status)
      const kept = (response: typeof get) => response.headers.filter(([name]) => !changing.has(name.toLowerCase()))
      assert.deepEqual(kept(head), kept(get))
      assert.ok(await connection.closes(), "the connection stayed open, or more bytes followed the head")
    })
    expectStatus(await http.send({ method: "HEAD", path: "/pets", ...keyless }), 401)
  }),
  reads("10.16", "responds to OPTIONS with 204 and the allowed methods", async ({ http }) => {
    assert.deepEqual(listed(expectStatus(await http.send({ method: "OPTIONS", path: "/pets" }), 204), "allow"), collection)
    assert.deepEqual(listed(expectStatus(await http.send({ method: "OPTIONS", path: "/pets/1" }), 204), "allow"), single)
    expectError(await http.send({ method: "OPTIONS", path: "/pets", ...keyless }), "missing_credential")
  }),
  reads("10.17", "refuses methods that HTTP does not define", ({ http }) =>
    eachOf(["FROB", "get", "Get", "GETT", "G", "POST!", "X-GET"], async (method) =>
      expectError(await http.send({ method, path: "/pets" }), "malformed_request", "method_not_allowed"),
    ),
  ),
]
