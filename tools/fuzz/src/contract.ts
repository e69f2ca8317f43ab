import assert from "node:assert/strict"
import { members } from "@petstore/harness/exact-json"
import { type Code, errorOf, expectError, requestIdOf, wellFormedId } from "@petstore/harness/expectations"
import type { WireResponse } from "@petstore/harness/response"

const successes: ReadonlySet<number> = new Set([200, 201, 204, 302, 304])

export const checkResponse = (response: WireResponse, method: string): void => {
  const { status } = response
  assert.ok(status < 500, `unexpected 5xx: ${status} ${response.text.slice(0, 300)}`)
  assert.match(requestIdOf(response), wellFormedId)
  assert.equal(response.all("date").length, 1, "expected one Date")
  for (const name of ["server", "x-powered-by"]) assert.equal(response.header(name), undefined, `unexpected header ${name}`)
  if (status !== 204 && status !== 304) assert.equal(response.all("content-length").length, 1, "expected one Content-Length")
  if (status >= 400) {
    if (method !== "HEAD") errorOf(response)
    if (status === 401) assert.match(response.header("www-authenticate") ?? "none", /^Bearer realm="petstore"/)
    if (status === 405) assert.match(response.header("allow") ?? "none", /^[A-Z]+(?:, [A-Z]+)*$/)
  } else {
    assert.ok(successes.has(status), `the contract does not define the status ${status}`)
    if (status === 201)
      assert.match(response.header("location") ?? "none", new RegExp(`^/v1/[a-z/]+/${members(response.json)?.["id"]}$`))
    if (response.body.length > 0)
      assert.match(response.header("content-type") ?? "none", /^(?:application\/json|text\/|image\/|application\/javascript)/)
  }
}

/** Fails unless the case allows the response. Runs after the checks that apply to every response. */
export type Check = (response: WireResponse) => unknown

/** Accepts any response that conforms to the contract. */
export const anything: Check = () => {}

/** Accepts an error with one of these codes. A response to HEAD does not show its code. */
export const refusal =
  (codes: ReadonlyArray<Code>, method?: string): Check =>
  (response) => {
    if (method === "HEAD") assert.ok(response.status >= 400, `expected an error status, got ${response.status}`)
    else expectError(response, ...codes)
  }
