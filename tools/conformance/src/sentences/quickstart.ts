/** Section 4.4: the quickstart, at its own address. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { members } from "@petstore/harness/exact-json"
import { expectError, expectStatus, listed } from "@petstore/harness/expectations"
import { Http, type Request } from "@petstore/harness/http"
import { refusesAll, refusesTypes } from "../every.ts"
import { type Context, type Sentence, sentence } from "../sentence.ts"

const reading = { writes: true, needs: ["quickstartUrl", "readOnlyKey"] } as const
const writing = { writes: true, needs: ["quickstartUrl"] } as const

const send = ({ http, given }: Context, body: string | Uint8Array, request: Request = {}) =>
  new Http(new URL(given.quickstartUrl ?? ""), http.key).send({ method: "POST", target: "/messages", body, ...request })

const queued = async (context: Context, message: string) => {
  const receipt = members(expectStatus(await send(context, JSON.stringify({ message })), 202).json) ?? {}
  assert.deepEqual(Object.keys(receipt).sort(), ["createdAt", "id", "message", "status"])
  return receipt
}

export const quickstart: ReadonlyArray<Sentence> = [
  sentence("4.4.1", "responds with 202 and a receipt for the message", writing, (context) => queued(context, "hello")),
  sentence("4.4.2", "assigns each message its own id", writing, async (context) => {
    const one = await queued(context, "hello")
    const two = await queued(context, "hello")
    assert.equal(typeof one["id"], "string")
    assert.notEqual(one["id"], two["id"])
  }),
  sentence("4.4.3", "returns the message exactly as given", writing, async (context) => {
    for (const message of [`hello ${randomUUID()}`, '  é e\u0301 🐕 \u2028 "\\', "x".repeat(1000)]) {
      assert.equal((await queued(context, message))["message"], message)
    }
  }),
  sentence("4.4.4", "states that the message is queued", writing, async (context) =>
    assert.equal((await queued(context, "hello"))["status"], "queued"),
  ),
  sentence("4.4.5", "states when the message was queued, in UTC with milliseconds", writing, async (context) => {
    const { createdAt } = await queued(context, "hello")
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }),
  sentence("4.4.6", "rejects a body that is not JSON", writing, async (context) => {
    const bodies = ["", "{", "{'message':'x'}", `\ufeff{"message":"x"}`, Uint8Array.of(0x22, 0xff, 0x22)]
    await refusesAll("invalid_json", bodies, (body) => send(context, body))
  }),
  sentence("4.4.7", "rejects a body without a message", writing, (context) => {
    const bodies = ["{}", `{"Message":"x"}`, `{"message":null}`, `{"message":1}`, `{"message":["x"]}`, "[]", "null", `"message"`]
    return refusesAll("invalid_body", bodies, (body) => send(context, body))
  }),
  sentence("4.4.8", "rejects a content type that is missing or not JSON", writing, async (context) => {
    await refusesTypes((type) => send(context, `{"message":"x"}`, type))
    expectStatus(await send(context, `{"message":"x"}`, { contentType: "Application/JSON; charset=UTF-8" }), 202)
  }),
  sentence("4.4.9", "rejects a missing or invalid key", writing, async (context) => {
    expectError(await send(context, `{"message":"x"}`, { authorization: [] }), "missing_credential")
    expectError(await send(context, `{"message":"x"}`, { authorization: ["Bearer nonsense"] }), "invalid_credential")
    expectError(await send(context, "{", { authorization: ["Basic eDp5"] }), "missing_credential")
  }),
  sentence("4.4.10", "accepts its deployment's keys", writing, (context) => queued(context, "hello")),
  sentence("4.4.12", "responds with 404 to other paths and with 405 to other methods", writing, async (context) => {
    expectError(await send(context, `{"message":"x"}`, { target: "/nowhere" }), "route_not_found")
    const response = await send(context, "", { method: "GET" })
    expectError(response, "method_not_allowed")
    assert.ok(listed(response, "allow").includes("POST"))
  }),
  sentence("4.4.13", "refuses a read-only key, with any body", reading, async (context) => {
    const authorization = [`Bearer ${context.given.readOnlyKey}`]
    await refusesAll("insufficient_scope", [`{"message":"x"}`, "{", ""], (body) => send(context, body, { authorization }))
    expectError(await send(context, "", { method: "GET", authorization }), "method_not_allowed")
  }),
]
