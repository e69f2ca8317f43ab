/** Text that is the same for every client, with its entity tag. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { fixedResponse } from "../../../src/http/response/fixed-response.js"
import { exchangeOf } from "../exchange-of.js"

const handler = fixedResponse("text/plain", "Welcome", ["Referrer-Policy", "no-referrer"])

const answerTo = (ifNoneMatch?: string, acceptEncoding?: string): string => {
  const { exchange, sent } = exchangeOf({ headers: { "if-none-match": ifNoneMatch, "accept-encoding": acceptEncoding } })
  void handler(exchange)
  return sent()
}

const tag = /ETag: (".*")/.exec(answerTo())?.[1] ?? ""

it.each([undefined, '"another"', tag.slice(1, -1)])(
  "a fixed response contains its text if If-None-Match is %s",
  (ifNoneMatch) => {
    const response = answerTo(ifNoneMatch)
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nContent-Length: 7\r\n[\s\S]*\r\n\r\nWelcome$/)
    expect(response).toContain("Referrer-Policy: no-referrer")
  },
)

it.each([tag, `"another", ${tag}`, `W/${tag}`, "*"])("a fixed response has no text if If-None-Match is %s", (ifNoneMatch) => {
  const response = answerTo(ifNoneMatch)
  expect(response).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[\s\S]*\r\n\r\n$/)
  expect(response).toContain(`ETag: ${tag}`)
  expect(response).not.toContain("Content-Length")
})

it.each(["gzip", "GZIP;q=0.5", "br;q=1.0, gzip ; q=0.001, *;q=0", "deflate,gzip,br"])(
  "a fixed response is compressed if Accept-Encoding is %s",
  (acceptEncoding) => {
    const response = answerTo(undefined, acceptEncoding)
    expect(response).toContain("Content-Encoding: gzip\r\n")
    expect(response).toContain("Vary: Accept-Encoding\r\n")
    expect(response).not.toContain("Welcome")
    const ofGzip = /ETag: (".*")/.exec(response)?.[1] ?? ""
    expect(ofGzip).not.toBe(tag)
    for (const known of [ofGzip, `W/${ofGzip}`]) {
      const unchanged = answerTo(known, acceptEncoding)
      expect(unchanged).toMatch(/^HTTP\/1\.1 304 /)
      expect(unchanged).toContain(`ETag: ${ofGzip}\r\n`)
      expect(unchanged).toContain("Vary: Accept-Encoding\r\n")
      expect(unchanged).not.toContain("Content-Encoding")
    }
  },
)

it.each(["", "br", "gzip;q=0", "gzip; q=0.000, identity", "x-gzipped", "*"])(
  "a fixed response is sent as it is if Accept-Encoding is %j",
  (acceptEncoding) => {
    const response = answerTo(undefined, acceptEncoding)
    expect(response).toMatch(/\r\n\r\nWelcome$/)
    expect(response).toContain("Vary: Accept-Encoding\r\n")
    expect(response).not.toContain("Content-Encoding")
  },
)

it("a long fixed response is kept as bytes, and its text is not", () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc")
  collect()
  const beforeBytes = process.memoryUsage().heapUsed
  // In a function of its own, because the test's frame would keep the text.
  const make = () => fixedResponse("text/plain", JSON.stringify("x".repeat(8_000_000)))
  const long = make()
  collect()
  expect(process.memoryUsage().heapUsed - beforeBytes).toBeLessThan(4_000_000)
  expect(long).toBeTypeOf("function")
})
