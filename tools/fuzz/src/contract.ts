import assert from "node:assert/strict"
import { byId, byName, expectSorted, folded } from "@petstore/conformance/catalogue"
import { members } from "@petstore/harness/exact-json"
import { type Code, errorOf, expectError, pageOf, requestIdOf, wellFormedId } from "@petstore/harness/expectations"
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

export interface Asked {
  readonly limit: number
  readonly status?: string | undefined
  readonly ids?: ReadonlyArray<bigint> | undefined
  readonly categoryId?: bigint | undefined
  /** The prefix of the names. The pets are then ordered by their case-folded names. */
  readonly name?: string | undefined
  readonly isDescending?: boolean
}

/** Accepts a page of at most `limit` pets that match every filter and are sorted. */
export const pageWith =
  ({ limit, status, ids, categoryId, name, isDescending = false }: Asked): Check =>
  (response) => {
    const pets = pageOf(response)
    assert.ok(pets.length <= limit, `expected at most ${limit} pets, got ${pets.length}`)
    for (const pet of pets) {
      if (status !== undefined) assert.equal(pet.status, status)
      if (categoryId !== undefined) assert.equal(pet.categoryId, categoryId)
      if (name !== undefined)
        assert.ok(folded(pet.name).startsWith([...folded(name)].slice(0, 64).join("")), `${pet.name} does not begin with ${name}`)
      if (ids !== undefined) assert.ok(ids.includes(pet.id), `pet ${pet.id} was not requested`)
    }
    expectSorted(isDescending ? pets.toReversed() : pets, name === undefined ? byId : byName)
  }
