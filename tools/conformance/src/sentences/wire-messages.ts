/** Sentences 10.18 to 10.30: the HTTP message, as bytes. */
import assert from "node:assert/strict"
import { expectError, expectStatus, pageOf, requestIdOf, wellFormedId } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import { createdPet, newPetJson, uniqueName } from "../catalogue.ts"
import { refusesAll, refusesAndCloses } from "../every.ts"
import { type Cases, each, eachOf, listOf, reads, type Sentence, sentence, writes } from "../sentence.ts"
import { wrongRequests } from "../wrong-values.ts"

const lines = (...text: ReadonlyArray<string>): string => text.join("\r\n")

export const wireMessages: ReadonlyArray<Sentence> = [
  reads("10.18", "refuses a request line that is not HTTP", ({ http }) => {
    const host = `Host: ${http.base.host}`
    return refusesAndCloses(http, [
      ["nonsense", "nonsense\r\n\r\n"],
      ["no version", lines("GET /v1/pets", host, "", "")],
      ["an unsupported version", lines("GET /v1/pets HTTP/9.9", host, "", "")],
      ["a different protocol", lines("GET /v1/pets FTP/1.1", host, "", "")],
      ["a space in the target", lines("GET /v1/pets ?limit=1 HTTP/1.1", host, "", "")],
      ["no target", lines("GET  HTTP/1.1", host, "", "")],
      ["a NUL in the target", lines("GET /v1/\0pets HTTP/1.1", host, "", "")],
      ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
      ["a target that is not a path", lines("GET v1/pets HTTP/1.1", host, "", "")],
      ["a target that resembles a URL", lines("GET http://[::1/v1/pets HTTP/1.1", host, "", "")],
    ])
  }),
  reads("10.19", "refuses HTTP/1.1 without exactly one Host", ({ http }) => {
    const own = http.base.host
    return refusesAll("malformed_request", [[], [own, own], [own, "evil.example"]], (host) => http.get("/pets", { host }))
  }),
  reads("10.20", "refuses header lines that are not HTTP", ({ http }) => {
    const start = lines("GET /v1/pets HTTP/1.1", `Host: ${http.base.host}`, `Authorization: Bearer ${http.key}`)
    const withLine = (line: string): string => lines(start, line, "", "")
    return refusesAndCloses(http, [
      ["a space before the colon", withLine("X-Name : value")],
      ["no colon", withLine("nonsense")],
      ["no name", withLine(": value")],
      ["a control character in a value", withLine("X-Name: a\x01b")],
      ["a NUL in a value", withLine("X-Name: a\0b")],
      ["a NUL in a name", withLine("X-\0Name: ab")],
      ["a folded line", withLine("X-Name: a\r\n b")],
      ["a space before the first name", lines("GET /v1/pets HTTP/1.1", ` Host: ${http.base.host}`, "", "")],
      ["a bare CR in a value", withLine("X-Name: a\rb")],
    ])
  }),
  reads("10.21", "refuses a body of ambiguous length and does not read a second request from it", ({ http }) => {
    const start = lines(
      "POST /v1/pets HTTP/1.1",
      `Host: ${http.base.host}`,
      `Authorization: Bearer ${http.key}`,
      "Content-Type: application/json",
    )
    const smuggled = lines("GET /healthz HTTP/1.1", `Host: ${http.base.host}`, "", "")
    const message = (headers: ReadonlyArray<string>, body: string): string =>
      `${lines(start, ...headers, "", "")}${body}${smuggled}`
    const chunked = "Transfer-Encoding: chunked"
    return refusesAndCloses(http, [
      ["two lengths", message(["Content-Length: 2", "Content-Length: 3"], "{}")],
      ["the same length twice", message(["Content-Length: 2", "Content-Length: 2"], "{}")],
      ["a list of lengths", message(["Content-Length: 2, 2"], "{}")],
      ["a length that is not a number", message(["Content-Length: two"], "{}")],
      ["a length with a sign", message(["Content-Length: +2"], "{}")],
      ["a negative length", message(["Content-Length: -2"], "{}")],
      ["a length in hexadecimal", message(["Content-Length: 0x2"], "{}")],
      ["a length above 2^64", message(["Content-Length: 99999999999999999999999"], "{}")],
      ["a length and chunks", message(["Content-Length: 2", chunked], "2\r\n{}\r\n0\r\n\r\n")],
      ["chunks and a length", message([chunked, "Content-Length: 2"], "2\r\n{}\r\n0\r\n\r\n")],
      ["an unknown coding", message(["Transfer-Encoding: nonsense"], "{}")],
      ["chunked before the last coding", message(["Transfer-Encoding: chunked, identity"], "2\r\n{}\r\n0\r\n\r\n")],
      ["chunked, disguised", message(["Transfer-Encoding: xchunked"], "2\r\n{}\r\n0\r\n\r\n")],
      ["a chunk size that is not a number", message([chunked], "zz\r\n{}\r\n0\r\n\r\n")],
      ["a chunk size with a sign", message([chunked], "+2\r\n{}\r\n0\r\n\r\n")],
      ["a chunk longer than its size", message([chunked], "2\r\n{}{}\r\n0\r\n\r\n")],
      ["a chunk size above 2^64", message([chunked], "fffffffffffffffff\r\n{}\r\n0\r\n\r\n")],
    ])
  }),
  reads("10.22", "responds to HTTP/1.0 requests", async ({ http }) => {
    pageOf(await http.get("/pets?limit=1", { version: "1.0" }))
    pageOf(await http.get("/pets?limit=1", { version: "1.0", host: [] }))
    expectError(await http.get("/pets", { version: "1.0", authorization: [] }), "missing_credential")
  }),
  writes("10.23", "responds to Expect: 100-continue", async ({ http }) => {
    const given = { name: uniqueName(), categoryId: 1n }
    const body = Buffer.from(newPetJson(given))
    const bytes = http.encode({ method: "POST", body, headers: ["Expect: 100-continue"] })
    using connection = await http.open()
    connection.write(bytes.subarray(0, bytes.length - body.length))
    const first = await connection.readHead()
    assert.equal(first.status, 100, `expected 100 before the body, got ${first.status}`)
    createdPet(await http.exchange(connection, body), given)
    // A client that does not wait gets the same response.
    expectStatus(await http.post(newPetJson(given), { headers: ["Expect: 100-Continue"] }), 201)
    expectError(await http.post("{}", { headers: ["Expect: 100-continue"], authorization: [] }), "missing_credential")
  }),
  reads("10.24", "ignores any other Expect", async ({ http }) => {
    for (const value of ["nonsense", "200-ok", "", "100-continue, nonsense"])
      pageOf(await http.get("/pets?limit=1", { headers: [`Expect: ${value}`] }))
  }),
  sentence("10.25", "serves many requests on one connection, in request order", listOf(3), async ({ http }) => {
    using connection = await http.open()
    for (let count = 0; count < 10; count += 1)
      pageOf(await http.exchange(connection, { path: "/pets?limit=1", keepAlive: true }))
    const requests: ReadonlyArray<Request> = [3, 1, 2].map((limit) => ({
      path: `/pets?limit=${limit}`,
      keepAlive: true,
      headers: [`X-Request-Id: pipelined-${limit}`],
    }))
    const [first, ...others] = requests.map((request) => http.encode(request))
    assert.ok(first !== undefined)
    const responses = [
      await http.exchange(connection, Buffer.concat([first, ...others])),
      await connection.read(),
      await connection.read(),
    ]
    assert.deepEqual(responses.map(requestIdOf), ["pipelined-3", "pipelined-1", "pipelined-2"])
    const lengths = responses.map((response) => pageOf(response).length)
    assert.deepEqual(lengths, [3, 1, 2])
  }),
  reads("10.26", "sends an X-Request-Id with every response", async ({ http }) => {
    const cases: Cases<Request | string> = [
      ["a page", {}],
      ["alive", { target: "/healthz" }],
      ["OPTIONS", { method: "OPTIONS" }],
      ...wrongRequests,
      ["nonsense", "nonsense\r\n\r\n"],
    ]
    await each(cases, async (request) => assert.match(requestIdOf(await http.send(request)), wellFormedId))
  }),
  reads("10.27", "returns the client's X-Request-Id", ({ http }) =>
    eachOf(["a", "A-Z_0.9", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "x".repeat(128), "..", "-"], async (id) => {
      assert.equal(requestIdOf(await http.get("/pets?limit=1", { headers: [`X-Request-Id: ${id}`] })), id)
      assert.equal(requestIdOf(await http.get("/nowhere", { headers: [`x-request-id: ${id}`] })), id)
    }),
  ),
  reads("10.28", "replaces a malformed X-Request-Id", async ({ http }) => {
    const values = [
      ...["", "x".repeat(129), "a b", "a,b", "a/b", "é", `"a"`, "a:b", "<script>", "%{x}", "a\tb"].map((id) => [id]),
      ["a", "b"],
    ]
    await eachOf(values, async (ids) => {
      const id = requestIdOf(await http.get("/pets?limit=1", { headers: ids.map((value) => `X-Request-Id: ${value}`) }))
      assert.match(id, wellFormedId)
      assert.ok(!ids.includes(id))
    })
  }),
  reads("10.29", "sends a different X-Request-Id with each response", async ({ http }) => {
    const ids = new Set<string>()
    for (let count = 0; count < 10; count += 1) ids.add(requestIdOf(await http.get("/pets?limit=1")))
    assert.equal(ids.size, 10)
  }),
  reads("10.30", "sends Date and a length, and does not name its software", ({ http }) =>
    each<Request>([["a page", {}], ...wrongRequests], async (request) => {
      const response = await http.send(request)
      assert.ok(!Number.isNaN(Date.parse(response.header("date") ?? "")), "the response has no valid Date")
      assert.ok(
        response.header("content-length") !== undefined || response.header("transfer-encoding") === "chunked",
        "the response has no body length",
      )
      assert.equal(response.header("x-powered-by"), undefined)
      assert.doesNotMatch(response.header("server") ?? "", /\d|koa|node|express/i)
    }),
  ),
]
