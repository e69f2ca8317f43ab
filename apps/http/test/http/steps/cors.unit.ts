/** What pages of other origins get (specification, section 13). */
import { describe, expect, it } from "vitest"
import { cors } from "../../../src/http/steps/cors.js"
import { exchangeOf, headersOf } from "../exchange-of.js"

const [step] = cors(["https://shop.example", "https://other.example"])

const through = (method: string, headers: Record<string, string>) => {
  const { exchange, sent } = exchangeOf({ method, headers })
  return { verdict: step?.(exchange), headers: headersOf(exchange.headers), sent: sent() }
}

describe("cross-origin requests", () => {
  it("are nobody's business where no origin is named", () => {
    expect(cors([])).toEqual([])
  })

  it("are marked for a named origin, by its own name", () => {
    const { verdict, headers } = through("GET", { origin: "https://other.example" })
    expect(verdict).toBe("pass")
    expect(headers).toMatchObject({ "Access-Control-Allow-Origin": "https://other.example", Vary: "Origin" })
  })

  it.each(["https://evil.example", "https://shop.example.evil", "null", "HTTPS://SHOP.EXAMPLE"])(
    "are not allowed for %s",
    (origin) => {
      for (const method of ["GET", "OPTIONS"]) {
        const { verdict, headers } = through(method, { origin, "access-control-request-method": "POST" })
        expect([verdict, headers]).toEqual(["pass", { Vary: "Origin" }])
      }
    },
  )

  it("tell caches that the origin counts, also without one", () => {
    expect(through("GET", {}).headers).toEqual({ Vary: "Origin" })
  })

  it("are asked for by a preflight, which needs no key", () => {
    const { verdict, sent } = through("OPTIONS", { origin: "https://shop.example", "access-control-request-method": "POST" })
    expect(verdict).toBe("answered")
    expect(sent).toMatch(/^HTTP\/1\.1 204 [\s\S]*Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n/)
  })

  it("are not a preflight only for being OPTIONS", () => {
    expect(through("OPTIONS", { origin: "https://shop.example" }).verdict).toBe("pass")
  })
})
