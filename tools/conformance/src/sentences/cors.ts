/** Section 13: cross-origin requests. */
import assert from "node:assert/strict"
import { expectError, expectStatus, listed } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import { type Cases, each, eachOf, reads, type Sentence, sentence } from "../sentence.ts"
import { words, wrongRequests } from "../wrong-values.ts"

const withOrigin = { writes: false, needs: ["origin"] } as const

const containsAll = (found: ReadonlyArray<string>, expected: ReadonlyArray<string>): void => {
  for (const name of expected) {
    const isFound = found.some((item) => item.toLowerCase() === name.toLowerCase())
    assert.ok(isFound, `expected ${name} among ${found.join(", ")}`)
  }
}

const preflight = (origin: string, method: string): Request => ({
  method: "OPTIONS",
  authorization: [],
  headers: [
    `Origin: ${origin}`,
    `Access-Control-Request-Method: ${method}`,
    "Access-Control-Request-Headers: authorization, content-type, idempotency-key",
  ],
})

export const cors: ReadonlyArray<Sentence> = [
  reads("13.1", "sends no CORS headers to an origin that is not listed", ({ http, given: { origin: named = "null" } }) =>
    eachOf(["https://not-named.example", "null", "nonsense", "", `${named}.evil`, named.toUpperCase()], async (origin) => {
      for (const request of [{ headers: [`Origin: ${origin}`] }, preflight(origin, "POST")]) {
        const response = await http.send(request)
        // Without CORS, OPTIONS is a request like any other, and this preflight has no key.
        if ("method" in request) expectError(response, "missing_credential")
        else expectStatus(response, 200)
        const allowing = response.headers.filter(([name]) => name.toLowerCase().startsWith("access-control-"))
        assert.deepEqual(allowing, [])
      }
    }),
  ),
  sentence("13.7", "does not require a key for a preflight from a listed origin", withOrigin, async ({ http, given }) => {
    const origin = given.origin ?? ""
    const response = expectStatus(await http.send({ path: "/pets", ...preflight(origin, "POST") }), 204)
    assert.equal(response.header("access-control-allow-origin"), origin)
    containsAll(listed(response, "access-control-allow-methods"), ["GET", "POST"])
    // OPTIONS alone is not a preflight.
    expectError(await http.send({ method: "OPTIONS", authorization: [], headers: [`Origin: ${origin}`] }), "missing_credential")
    const ofOne = await http.send({ path: "/pets/1", ...preflight(origin, "PATCH") })
    containsAll(listed(ofOne, "access-control-allow-methods"), ["DELETE", "GET", "PATCH"])
    const accepted = words(`
      Authorization Content-Type Idempotency-Key If-Match If-None-Match X-Request-Id traceparent tracestate baggage
    `)
    containsAll(listed(response, "access-control-allow-headers"), accepted)
  }),
  sentence("13.3", "allows a listed origin to read every response", withOrigin, async ({ http, given }) => {
    const cases: Cases<Request> = [["a page", {}], ...wrongRequests]
    await each(cases, async (request) => {
      const response = await http.send({ ...request, headers: [`Origin: ${given.origin ?? ""}`] })
      assert.equal(response.header("access-control-allow-origin"), given.origin)
      containsAll(listed(response, "vary"), ["Origin"])
    })
  }),
  sentence("13.8", "exposes its headers to a listed origin", withOrigin, async ({ http, given }) => {
    const response = await http.get("/pets?limit=0", { headers: [`Origin: ${given.origin ?? ""}`] })
    expectError(response, "invalid_parameter")
    const exposed = words(`
      Link Location ETag Idempotent-Replayed X-Request-Id
      Retry-After RateLimit RateLimit-Policy Deprecation Sunset WWW-Authenticate
    `)
    containsAll(listed(response, "access-control-expose-headers"), exposed)
  }),
]
