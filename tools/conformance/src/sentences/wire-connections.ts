/** Sentences 10.33 to 10.53: which requests are executed, the order of the responses, and how a connection closes. */
import assert from "node:assert/strict"
import type { Connection } from "@petstore/harness/connection"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import type { Http, Request } from "@petstore/harness/http"
import { refusesAndCloses } from "../every.ts"
import { type Cases, each, reads, type Sentence } from "../sentence.ts"

const read = (http: Http, id: string, request: Request = {}): Buffer =>
  http.encode({
    path: "/pets?limit=1",
    keepAlive: true,
    ...request,
    headers: [`X-Request-Id: ${id}`, ...(request.headers ?? [])],
  })

const readNext = async (connection: Connection): Promise<string | undefined> =>
  expectStatus(await connection.read(), 200).header("x-request-id")

export const wireConnections: ReadonlyArray<Sentence> = [
  reads("10.49", "sends one response for each request, in request order", async ({ http }) => {
    using connection = await http.open()
    const ids = Array.from({ length: 100 }, (_, number) => `ordered-${number}`)
    // The paths alternate between a cached page, a larger page and an unknown path.
    const requests = ids.map((id, number) =>
      read(http, id, { path: ["/pets?limit=1", "/pets?limit=100", "/healthz"][number % 3] ?? "" }),
    )
    connection.write(Buffer.concat(requests))
    for (const id of ids) assert.equal((await connection.read()).header("x-request-id"), id)
  }),
  reads(
    "10.33",
    "responds to the requests before a malformed message, refuses the message, and executes no request after it",
    async ({ http }) => {
      const cases: Cases<Uint8Array> = [
        ["nonsense", Buffer.from("nonsense\r\n\r\n")],
        ["no host", http.encode({ host: [], keepAlive: true })],
        ["a large head", http.encode({ headers: [`X-Large: ${"a".repeat(20_000)}`], keepAlive: true })],
        ["two codings", http.encode({ chunks: ["{}"], headers: ["Transfer-Encoding: gzip"] })],
      ]
      await each(cases, async (bytes) => {
        using connection = await http.open()
        connection.write(Buffer.concat([read(http, "one"), read(http, "two"), bytes, read(http, "never")]))
        assert.deepEqual([await readNext(connection), await readNext(connection)], ["one", "two"])
        const refusal = await connection.read()
        assert.ok(refusal.status === 400 || refusal.status === 431, `expected a refusal, got ${refusal.status}`)
        assert.ok(await connection.closes(), "the connection stayed open, or more bytes followed the refusal")
      })
    },
  ),
  reads("10.54", "executes no request after the one that ends the connection", async ({ http }) => {
    const cases: Cases<Request> = [
      ["Connection: close", { keepAlive: false }],
      ["HTTP/1.0", { version: "1.0" }],
    ]
    await each(cases, async (request) => {
      using connection = await http.open()
      connection.write(Buffer.concat([read(http, "last", request), read(http, "never")]))
      const response = await connection.read()
      assert.equal(response.header("x-request-id"), "last")
      assert.match(response.header("connection") ?? "", /close/i)
      assert.ok(await connection.closes(), "the connection stayed open, or more bytes followed the last response")
    })
  }),
  reads(
    "10.55",
    "keeps a connection open after HTTP/1.0 with keep-alive, and after an offer of another protocol",
    async ({ http }) => {
      const cases: Cases<Request> = [
        ["HTTP/1.0", { version: "1.0", headers: ["Connection: keep-alive"] }],
        ["Upgrade", { headers: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"] }],
      ]
      await each(cases, async (request) => {
        using connection = await http.open()
        connection.write(Buffer.concat([read(http, "one", request), read(http, "two")]))
        assert.deepEqual([await readNext(connection), await readNext(connection)], ["one", "two"])
      })
    },
  ),
  reads("10.35", "lets a client read the last response even if the client continues to send", async ({ http }) => {
    using connection = await http.open()
    connection.write(Buffer.concat([read(http, "last", { keepAlive: false }), Buffer.alloc(100_000, "x")]))
    assert.equal(await readNext(connection), "last")
    connection.write(Buffer.alloc(100_000, "x"))
    assert.ok(await connection.closes(), "the connection stayed open, or more bytes followed the last response")
  }),
  reads("10.40", "refuses CONNECT", ({ http }) => {
    const { host } = http.base
    return refusesAndCloses(http, [["CONNECT", `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]])
  }),
  reads("10.41", "refuses every transfer coding except a single chunked coding in HTTP/1.1", ({ http }) => {
    const raw = "2\r\n{}\r\n0\r\n\r\n"
    return refusesAndCloses(http, [
      ["a coding before chunked", { raw, headers: ["Transfer-Encoding: foo, chunked"] }],
      ["gzip before chunked", { raw, headers: ["Transfer-Encoding: gzip, chunked"] }],
      ["two headers", { raw, headers: ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"] }],
      ["chunked twice", { raw, headers: ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"] }],
      ["HTTP/1.0", { raw, version: "1.0", headers: ["Transfer-Encoding: chunked"] }],
    ])
  }),
  reads("10.44", "refuses other HTTP versions and an invalid Host before it sends a 100", async ({ http }) => {
    const expecting = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    const heads = ["a b", "a/c", "a@d", "a:x", "a?", "[::1", "a, a", "a\r\nHost: a"].map(
      (host) => [host, `POST /v1/pets HTTP/1.1\r\nHost: ${host}\r\n${expecting}`] as const,
    )
    await each([...heads, ["HTTP/2.0", "GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n"]], async (head) =>
      expectError(await http.sendOnce(head), "malformed_request"),
    )
  }),
  reads("10.53", "refuses a different protocol", async ({ http }) =>
    expectError(await http.sendOnce("GET /healthz RTSP/1.0\r\nHost: a\r\n\r\n"), "malformed_request"),
  ),
  reads("10.45", "ignores a malformed traceparent", async ({ http }) => {
    const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const named = async (value: string) =>
      (await http.get("/pets?limit=1", { headers: [`traceparent: ${value}`] })).header("traceparent")
    assert.equal(await named(good), good)
    const zeros = `00-${"0".repeat(32)}-b7ad6b7169203331-01`
    const key = `01${good.slice(2)}-pst_live_${"a".repeat(38)}`
    for (const value of [`${good}-x`, good.replace("00-", "ff-"), zeros, key]) assert.equal(await named(value), undefined, value)
  }),
]
