/** Generates and sends bytes that are HTTP, resemble HTTP, or are nothing like HTTP. */
import assert from "node:assert/strict"
import type { Http } from "@petstore/harness/http"
import fc from "fast-check"
import { weighted } from "./pets.ts"
import { type Case, requestCase } from "./requests.ts"

/** One change to the bytes. `at` is a position, as a fraction of their length. */
interface Change {
  readonly kind: "insert" | "overwrite" | "remove" | "repeat" | "cut"
  readonly at: number
  readonly bytes: Uint8Array
}

const pieces = [
  ...["\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", ":", "HTTP/1.1", "HTTP/0.9", "HTTP/9.9"],
  ...["Content-Length: 5\r\n", "Content-Length: -1\r\n", "Content-Length: 99999999999999999999\r\n"],
  ...["Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "Transfer-Encoding:\vchunked\r\n"],
  "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
  ...["Host: b\r\n", "Expect: 100-continue\r\n", "Expect: x\r\n"],
  "Connection: upgrade\r\nUpgrade: websocket\r\n",
  "Upgrade: h2c\r\n",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "1;x=y\r\na\r\n0\r\nX: y\r\n\r\n",
  " folded\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT a:1 HTTP/1.1\r\n",
  "GET http://[::1/v1/pets HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
  "\u0016\u0003\u0001",
  "x".repeat(20_000),
] as const

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("insert", "overwrite", "remove", "repeat", "cut"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.oneof(
    fc.constantFrom(...pieces).map((text) => Uint8Array.from(Buffer.from(text, "latin1"))),
    fc.uint8Array({ minLength: 1, maxLength: 8 }),
  ),
})

const changed = (bytes: Buffer, { kind, at, bytes: piece }: Change): Buffer => {
  const place = Math.floor(at * bytes.length)
  const before = bytes.subarray(0, place)
  const after = bytes.subarray(place)
  const shortened = after.subarray(piece.length)
  const parts = {
    insert: [before, piece, after],
    overwrite: [before, piece, shortened],
    remove: [before, shortened],
    repeat: [before, after, after],
    cut: [before],
  }
  return Buffer.concat(parts[kind])
}

export const bytesOf = (http: Http, cases: ReadonlyArray<Case>): Buffer =>
  Buffer.concat(cases.map(({ request }) => http.encode({ ...request, keepAlive: true })))

export const rawBytes = (http: Http): fc.Arbitrary<Buffer> =>
  weighted(
    [
      5,
      fc
        .tuple(fc.array(requestCase, { minLength: 1, maxLength: 3 }), fc.array(change, { minLength: 1, maxLength: 4 }))
        .map(([cases, changes]) => changes.reduce(changed, bytesOf(http, cases))),
    ],
    [1, fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((texts) => Buffer.from(texts.join(""), "latin1"))],
    [1, fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))],
  )

/** How long the service may take to close a connection after the client has closed its sending side, in ms. */
const timeoutMillis = 60_000

/** Sends the bytes and reads to the end. Fails on a 5xx, on a response that is not HTTP, or if the connection hangs. */
export const sendRaw = async (http: Http, bytes: Buffer): Promise<void> => {
  using connection = await http.open()
  connection.write(bytes)
  connection.finish()
  // If a client breaks the protocol, a service may close the connection even before it has read everything.
  const text = (await connection.readToEnd(timeoutMillis)).toString("latin1")
  assert.match(text, /^(?:$|HTTP\/1\.1 \d{3})/, "the response is not HTTP")
  assert.doesNotMatch(text, /(?:^|[\]}\n])HTTP\/1\.1 5\d\d/, "unexpected 5xx")
  if (/^HTTP\/1\.1 4/.test(text))
    assert.match(text, /^[\s\S]*?\r\n\r\n(?:$|HTTP|\{"code":"[a-z_]+","message":")/, "the error response has no Error object")
}
