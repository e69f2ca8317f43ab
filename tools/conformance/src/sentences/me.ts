/** The first sentences of section 16: who calls. */
import assert from "node:assert/strict"
import { members } from "@petstore/harness/exact-json"
import { expectStatus } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { allowsExactly, revalidates } from "../every.ts"
import { reads, type Sentence, sentence } from "../sentence.ts"

const readMe = async (http: Http) => {
  const { account, key, deployment, ...others } = members(expectStatus(await http.get("/me"), 200).json) ?? {}
  assert.deepEqual(others, {})
  const { id, label, readOnly, expiresAt, ...more } = members(key ?? null) ?? {}
  assert.deepEqual([Object.keys(members(account ?? null) ?? {}).sort(), more], [["id", "name"], {}])
  for (const text of [id, ...Object.values(members(account ?? null) ?? {})]) assert.ok(typeof text === "string" && text !== "")
  assert.ok(label === undefined || (typeof label === "string" && label !== ""), `the label is ${String(label)}`)
  assert.ok(
    expiresAt === undefined || new Date(String(expiresAt)).toISOString() === expiresAt,
    `it expires at ${String(expiresAt)}`,
  )
  assert.ok(["development", "staging", "production"].includes(String(deployment)), `the deployment is ${String(deployment)}`)
  return { accountId: members(account ?? null)?.["id"], id, readOnly }
}

export const me: ReadonlyArray<Sentence> = [
  reads("16.1", "names the key of the request and its account", async ({ http }) => {
    const { id } = await readMe(http)
    assert.equal((await readMe(http)).id, id)
  }),
  sentence("16.2", "says whether the key is read-only", { writes: false, needs: ["readOnlyKey"] }, async ({ http, given }) => {
    const [writer, reader] = [await readMe(http), await readMe(http.withKey(given.readOnlyKey ?? ""))]
    assert.deepEqual([writer.readOnly, reader.readOnly], [false, true])
    assert.notEqual(reader.id, writer.id)
  }),
  reads("16.3", "responds with 304 while nothing has changed", async ({ http }) => {
    await revalidates(http, "/me")
    await allowsExactly(http, "/me")
  }),
]
