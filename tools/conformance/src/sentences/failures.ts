/** Sections 7 to 9 and 15: errors, limits, versions and robustness. */
import assert from "node:assert/strict"
import { setTimeout as sleep } from "node:timers/promises"
import { type Connection, ConnectionClosed } from "@petstore/harness/connection"
import { type Json, members } from "@petstore/harness/exact-json"
import { errorOf, expectError, expectJson, expectStatus, pageOf } from "@petstore/harness/expectations"
import type { Http, Request } from "@petstore/harness/http"
import { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import { refusesAll } from "../every.ts"
import { type Cases, each, listOf, reads, type Sentence, sentence } from "../sentence.ts"
import { words, wrongRequests } from "../wrong-values.ts"

const openapi = async (http: Http): Promise<{ readonly [member: string]: Json }> =>
  members(expectStatus(await http.send({ target: "/openapi.json", authorization: [] }), 200).json) ?? {}

const patient = { writes: false, needs: ["patient"] } as const

const onEveryRefusal = (number: string, title: string, holds: (response: WireResponse, http: Http) => unknown): Sentence =>
  reads(number, title, ({ http }) => each(wrongRequests, async (request) => holds(await http.send(request), http)))

/** Parts of generated paths and queries. */
const pieces = [
  ...words("/pets / ? limit= status= cursor= sold 1 100 %20 %00 %F0%9F%90%95 & = .. %2e ; // * ~ ' [] {} % @ : |"),
  "9".repeat(30),
]

export const failures: ReadonlyArray<Sentence> = [
  onEveryRefusal("7.1", "sends exactly code, message and status in every error", errorOf),
  onEveryRefusal("7.2", "repeats the HTTP status in the Error object", ({ json, status }) =>
    assert.equal(members(json)?.["status"], BigInt(status)),
  ),
  onEveryRefusal("7.3", "serves errors as application/json", (response) => {
    assert.ok(response.status >= 400, `expected an error, got ${response.status}`)
    expectJson(response)
  }),
  reads("7.11", "uses only codes from the closed list, each with its status", async ({ http }) => {
    const seen = new Set<string>()
    await each(wrongRequests, async (request) => {
      seen.add(errorOf(await http.send(request)).code)
    })
    const expected = words(`
      headers_too_large invalid_credential invalid_parameter malformed_request
      method_not_allowed missing_credential pet_not_found route_not_found
    `)
    assert.deepEqual([...seen].toSorted(), expected)
  }),
  reads("7.5", "does not reveal internals", async ({ http }) => {
    const cases: Cases<Request> = [
      ...wrongRequests,
      ["a quote in the path", { path: "/pets/'%22;--" }],
      ["a broken escape", { path: "/pets/%E0%A4%A" }],
      ["a list as limit", { path: "/pets?limit[$gt]=1&limit=[]" }],
    ]
    await each(cases, async (request) => errorOf(await http.send(request)))
  }),
  onEveryRefusal("7.8", "continues to serve requests after every error", async (response, http) => {
    errorOf(response)
    expectStatus(await http.get("/pets?limit=1"), 200)
  }),

  sentence("8.1", "accepts a limit from 1 to 100, with 20 as the default", listOf(21), async ({ http }) => {
    assert.equal(pageOf(await http.get("/pets?limit=1")).length, 1)
    assert.ok(pageOf(await http.get("/pets?limit=100")).length >= 21)
    assert.equal(pageOf(await http.get("/pets")).length, 20)
  }),
  reads("8.5", "rejects a head over 16 KiB", async ({ http }) => {
    expectStatus(await http.get("/pets?limit=1", { headers: [`X-Large: ${"a".repeat(12_000)}`] }), 200)
    const cases: Cases<Request> = [
      ["one long header", { headers: [`X-Large: ${"a".repeat(17_000)}`] }],
      ["a long path", { path: `/pets?x=${"a".repeat(17_000)}` }],
      ["many headers", { headers: Array.from({ length: 400 }, (_, index) => `X-Many-${index}: ${"a".repeat(50)}`) }],
      ["a long header name", { headers: [`${"a".repeat(17_000)}: x`] }],
      ["a long key", { authorization: [`Bearer ${"a".repeat(17_000)}`] }],
    ]
    await each(cases, async (request) => expectError(await http.send(request), "headers_too_large"))
    expectStatus(await http.get("/pets?limit=1"), 200)
  }),
  sentence(
    "8.3",
    "refuses a request or closes the connection if the request does not arrive in time",
    patient,
    async ({ http }) => {
      const whole = http.encode({ method: "POST", body: "{}", declaredLength: 100 })
      const parts = [whole.subarray(0, 20), whole]
      await Promise.all(
        parts.map(async (part) => {
          using connection = await http.open()
          connection.write(part)
          const response = await connection.read("POST", 60_000).catch((cause: unknown) => {
            if (cause instanceof ConnectionClosed) return undefined
            throw cause
          })
          if (response !== undefined) expectError(response, "request_timeout", "missing_credential", "invalid_credential")
        }),
      )
    },
  ),
  reads("8.4", "announces its rate limit, if it has one", async ({ http }) => {
    const response = await http.sendOnce({ path: "/pets?limit=1" })
    if (response.header("ratelimit-policy") !== undefined) return
    for (let count = 0; count < 100; count += 1) expectStatus(await http.sendOnce({ path: "/pets?limit=1" }), 200)
  }),

  reads("9.1", "has version 1 in its path and 1.0.0 in its contract", async ({ http }) => {
    assert.match(http.prefix, /\/v1$/)
    assert.equal(members((await openapi(http))["info"] ?? null)?.["version"], "1.0.0")
  }),
  reads("9.2", "deprecates getPet and nothing else", async ({ http }) => {
    assert.equal((await http.get("/pets/abc")).header("sunset"), "Thu, 05 Dec 2030 00:00:00 GMT")
    for (const path of ["/pets", "/store/orders"]) {
      const response = await http.get(path)
      assert.equal(response.header("sunset"), undefined)
      assert.equal(response.header("deprecation"), undefined)
    }
  }),
  reads("9.6", "marks the stability of each operation in its contract", async ({ http }) => {
    const paths = Object.entries(members((await openapi(http))["paths"] ?? null) ?? {})
    const stable = paths.flatMap(([path, item]) =>
      Object.entries(members(item) ?? {}).flatMap(([method, operation]) => {
        const { "x-stability": stability } = members(operation) ?? {}
        assert.ok(stability === "stable" || stability === "experimental", `${method} ${path} is ${String(stability)}`)
        return stability === "stable" ? [`${method} ${path}`] : []
      }),
    )
    assert.deepEqual(stable.sort(), ["get /pets", "get /pets/{petId}", "post /pets"])
  }),
  reads("9.4", "does not serve any other version", ({ http }) =>
    refusesAll("route_not_found", words("/v2/pets /v0/pets /v1.0/pets /v01/pets"), (target) => http.send({ target })),
  ),

  reads("15.3", "responds to every valid request without a 5xx", async ({ http }) => {
    const random = new Random(20_301_205)
    for (let count = 0; count < 300; count += 1) {
      const path = Array.from({ length: random.integer(1, 6) }, () => random.pickAny(pieces)).join("")
      const request = {
        path: path.startsWith("/") ? path : `/pets?${path}`,
        method: random.pick(["GET", "HEAD", "OPTIONS"]),
      }
      const response = await http.send(request)
      assert.ok(response.status < 500, `${request.method} ${request.path} returned ${response.status}`)
      if (response.status >= 400 && request.method !== "HEAD") errorOf(response)
    }
    const asterisk = await http.send({ method: "OPTIONS", target: "*" })
    assert.ok(asterisk.status < 500)
    pageOf(await http.get("/pets?limit=1"))
  }),
  reads("10.31", "is not affected by clients that disconnect", async ({ http }) => {
    const bytes = http.encode({ method: "POST", body: "{}", declaredLength: 1000 })
    const connections: Array<Connection> = []
    for (let count = 0; count < 20; count += 1) {
      const connection = await http.open()
      connection.write(bytes.subarray(0, 1 + count * 8))
      connections.push(connection)
    }
    await sleep(20)
    for (const connection of connections) connection.destroy()
    for (let count = 0; count < 5; count += 1) expectStatus(await http.get("/pets?limit=1"), 200)
  }),
]
