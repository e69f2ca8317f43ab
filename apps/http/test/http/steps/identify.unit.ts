/** A request's trace (specification 10.45). */
import { describe, expect, it } from "vitest"
import { identify } from "../../../src/http/steps/identify.js"
import { exchangeOf, through } from "../exchange-of.js"

const identified = (headers: Record<string, string>) => {
  const { exchange } = exchangeOf({ headers })
  expect(through(identify, exchange).passed).toBe(true)
  return exchange
}

describe("a request's trace", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  it("is the caller's, and is repeated in the response", () => {
    const { traceId, responseHeaders } = identified({ traceparent })
    expect([traceId, responseHeaders]).toEqual(["0af7651916cd43dd8448eb211c80319c", `traceparent: ${traceparent}\r\n`])
  })

  it("is absent without a valid traceparent", () => {
    for (const given of [{}, { traceparent: "nonsense" }, { traceparent: `${traceparent}-a\r\nb: c` }] as ReadonlyArray<
      Record<string, string>
    >) {
      const { traceId, responseHeaders } = identified(given)
      expect([traceId, responseHeaders]).toEqual([undefined, ""])
    }
  })

  it("is the trace that an earlier tracer has set", () => {
    const { exchange } = exchangeOf({ headers: { traceparent } })
    exchange.traceId = "11111111111111111111111111111111"
    exchange.addHeaders("traceparent: of the span\r\n")
    through(identify, exchange)
    expect(exchange.responseHeaders).toBe("traceparent: of the span\r\n")
  })
})
