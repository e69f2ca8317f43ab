/** Responses to pages from other origins (specification, section 13). */
import { describe, expect, it } from "vitest"
import { cors } from "../../../src/http/steps/cors.js"
import { exchangeOf, headersOf, through } from "../exchange-of.js"

const step = cors(["https://shop.example", "https://other.example"])

const answered = (method: string, headers: Record<string, string>) => {
  const { exchange, sent } = exchangeOf({ method, headers })
  const { passed } = through(step, exchange)
  return { passed, headers: headersOf(exchange.responseHeaders), sent: sent() }
}

describe("cross-origin requests", () => {
  it("are allowed for a configured origin, which the response names", () => {
    const { passed, headers } = answered("GET", { origin: "https://other.example" })
    expect(passed).toBe(true)
    expect(headers).toMatchObject({ "Access-Control-Allow-Origin": "https://other.example", Vary: "Origin" })
  })

  it.each(["https://evil.example", "https://shop.example.evil", "null", "HTTPS://SHOP.EXAMPLE"])(
    "are not allowed for %s",
    (origin) => {
      for (const method of ["GET", "OPTIONS"]) {
        const { passed, headers } = answered(method, { origin, "access-control-request-method": "POST" })
        expect([passed, headers]).toEqual([true, { Vary: "Origin" }])
      }
    },
  )

  it("get a Vary: Origin header for caches, even if the request has no Origin header", () => {
    expect(answered("GET", {}).headers).toEqual({ Vary: "Origin" })
  })

  it("may be preceded by a preflight, which needs no key", () => {
    const { passed, sent } = answered("OPTIONS", { origin: "https://shop.example", "access-control-request-method": "POST" })
    expect(passed).toBe(false)
    expect(sent).toMatch(/^HTTP\/1\.1 204 [\s\S]*Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n/)
  })

  it("are not a preflight just because the method is OPTIONS", () => {
    expect(answered("OPTIONS", { origin: "https://shop.example" }).passed).toBe(true)
  })
})
