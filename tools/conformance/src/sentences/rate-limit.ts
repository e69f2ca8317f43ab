/** Section 14: the rate limit. The tests use up only the second key's quota. */
import assert from "node:assert/strict"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { type Context, NotTested, type Sentence, sentence } from "../sentence.ts"

const spending = { writes: false, needs: ["secondKey"] } as const

const most = 2000

/** Reads the deployment's limit, in requests per minute. */
const policy = async (http: Http): Promise<number> => {
  const header = (await http.sendOnce({ path: "/pets?limit=1" })).header("ratelimit-policy")
  if (header === undefined) throw new NotTested("this deployment has no rate limit")
  const quota = /;\s*q=(\d+)/.exec(header)?.[1]
  assert.ok(quota !== undefined, `RateLimit-Policy does not contain a quota: ${header}`)
  if (Number(quota) > most) throw new NotTested(`the limit of ${quota} requests is too large to reach`)
  return Number(quota)
}

/** Sends requests with the second key until one is refused. */
const exhaust = async ({ http, given }: Context): Promise<readonly [spent: Http, refused: WireResponse]> => {
  const spent = http.withKey(given.secondKey ?? "")
  const quota = await policy(spent)
  for (let count = 0; count <= quota * 2; count += 1) {
    const response = await spent.sendOnce({ path: "/pets?limit=1" })
    if (response.status === 429) return [spent, response]
    expectStatus(response, 200)
  }
  throw new Error(`${quota * 2} requests were accepted despite a limit of ${quota}`)
}

export const rateLimit: ReadonlyArray<Sentence> = [
  sentence("14.1", "announces its limit and the number of remaining requests", spending, async ({ http }) => {
    await policy(http)
    const response = await http.sendOnce({ path: "/pets?limit=1" })
    assert.match(response.header("ratelimit") ?? "none", /;\s*r=\d+/)
  }),
  sentence("14.2", "responds with 429 over the limit", spending, async (context) => {
    const [, refused] = await exhaust(context)
    expectError(refused, "rate_limited")
    assert.match(refused.header("retry-after") ?? "none", /^[1-9]\d*$/)
  }),
  sentence("14.3", "counts each key separately", spending, async (context) => {
    await exhaust(context)
    expectStatus(await context.http.sendOnce({ path: "/pets?limit=1" }), 200)
  }),
  sentence("14.4", "checks credential, rate and route in that order", spending, async (context) => {
    const [spent] = await exhaust(context)
    expectError(await spent.sendOnce({ path: "/nowhere" }), "rate_limited")
    expectError(await spent.sendOnce({ path: "/pets", authorization: ["Bearer nonsense"] }), "invalid_credential")
  }),
]
