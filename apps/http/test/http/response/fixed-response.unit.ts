/** Text that is the same for every client, with its entity tag. */
import { expect, it } from "vitest"
import { fixedResponse } from "../../../src/http/response/fixed-response.js"
import { exchangeOf } from "../exchange-of.js"

const handler = fixedResponse("text/plain", "Welcome", ["Referrer-Policy", "no-referrer"])

const answerTo = (ifNoneMatch?: string): string => {
  const { exchange, sent } = exchangeOf({ headers: ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch } })
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
