/** Section 5: the credential. */
import assert from "node:assert/strict"
import { crc32 } from "node:zlib"
import { type Code, expectError, expectStatus, pageOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { create, readPet } from "../catalogue.ts"
import { needsKey, onlyReads } from "../every.ts"
import { eachOf, keyless, NotTested, reads, type Sentence, sentence, writes } from "../sentence.ts"
import { distorted, withoutCredential } from "../wrong-values.ts"

const plainChallenge = `Bearer realm="petstore"`
const tokenChallenge = `Bearer realm="petstore", error="invalid_token"`

/** Checks that the service rejects each list of `Authorization` header values with 401 and one of these codes. */
const refuses = (http: Http, lines: ReadonlyArray<ReadonlyArray<string>>, ...codes: ReadonlyArray<Code>): Promise<void> =>
  eachOf(lines, async (authorization) => expectError(await http.get("/pets?limit=1", { authorization }), ...codes))

const bearer = (keys: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => keys.map((key) => [`Bearer ${key}`])

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const checksum = (start: string): string =>
  [5, 4, 3, 2, 1, 0].map((place) => alphabet.charAt(Math.floor(crc32(start) / 62 ** place) % 62)).join("")

const deployments = { pst_live_: "production", pst_test_: "staging", pst_dev_: "development" } as const

const form = /^(pst_(?:live|test|dev)_)([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

const ourForm = (key: string): readonly [prefix: string, random: string] => {
  const [, prefix = "", random = ""] = form.exec(key) ?? []
  if (prefix === "") throw new NotTested("the given key does not have the form described in 5.17")
  return [prefix, random]
}

const withReadOnlyKey = { writes: true, needs: ["readOnlyKey"] } as const

export const authentication: ReadonlyArray<Sentence> = [
  writes("5.1", "accepts a valid key on every operation", ({ http }) => needsKey(http)),
  reads("5.2", "rejects a request without a key", ({ http }) => refuses(http, [[]], "missing_credential")),
  reads("5.3", "rejects an unknown key", async ({ http }) => {
    await refuses(http, bearer(["nonsense", "null", "undefined", "*", "a.b.c", "pst_dev_", "0"]), "invalid_credential")
    const unknown = form.test(http.key) ? ourForm(http.key)[0] + "a".repeat(32) : "unknown"
    await refuses(http, bearer([unknown + checksum(unknown)]), "invalid_credential")
  }),
  reads("5.4", "rejects every form other than Bearer followed by a key", async ({ http }) => {
    const { key } = http
    const starts = ["", "Token ", "Basic ", "Bearer:", "Bearer=", "Bearer", "Bearer Bearer ", "ApiKey ", "Bearer key="]
    const others = [...starts, "\u00a0Bearer ", "Bearér "].map((start) => start + key)
    const quoted = [`Bearer "${key}"`, `Bearer <${key}>`]
    const lines = [...withoutCredential, ...[...others, ...quoted].map((value) => [value])]
    await refuses(http, lines, "missing_credential", "invalid_credential")
  }),
  reads("5.5", "treats an empty header, a different scheme, or Bearer without a key as a missing credential", ({ http }) =>
    refuses(http, withoutCredential, "missing_credential"),
  ),
  reads("5.6", "compares the scheme case-insensitively", async ({ http }) => {
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
      expectStatus(await http.get("/pets?limit=1", { authorization: [`${scheme} ${http.key}`] }), 200)
    }
  }),
  reads("5.7", "accepts spaces, but not a tab, between the scheme and the key", async ({ http }) => {
    for (const space of [" ", "  ", "        "])
      expectStatus(await http.get("/pets?limit=1", { authorization: [`Bearer${space}${http.key}`] }), 200)
    const others = ["\t", " \t", "\t ", "\u00a0", " \u00a0"].map((space) => [`Bearer${space}${http.key}`])
    await refuses(http, others, "invalid_credential", "missing_credential")
  }),
  reads("5.8", "rejects text after the key", ({ http }) => {
    const { key } = http
    const ends = ["x", "=", " x", ", ", ",", ";v=1", " realm=x", `, Bearer ${key}`, `,${key}`, ` ${key}`, "\tx", '"', "\u00a0"]
    return refuses(http, bearer(ends.map((end) => key + end)), "invalid_credential")
  }),
  reads("5.9", "rejects two Authorization headers", ({ http }) => {
    const good = `Bearer ${http.key}`
    const others = ["Bearer nonsense", "", "Basic dXNlcjpwYXNz"]
    const lines = [[good, good], ...others.map((other) => [good, other]), ...others.map((other) => [other, good])]
    return refuses(http, lines, "invalid_credential", "missing_credential")
  }),
  reads("5.10", "rejects an altered key", ({ http }) => refuses(http, bearer(distorted(http.key)), "invalid_credential")),
  reads("5.11", "rejects a key for a different deployment and names that deployment", async ({ http }) => {
    const [own, random] = ourForm(http.key)
    for (const [prefix, deployment] of Object.entries(deployments)) {
      if (prefix === own) continue
      const authorization = [`Bearer ${prefix}${random}${checksum(prefix + random)}`]
      const message = expectError(await http.get("/pets", { authorization }), "invalid_credential")
      assert.match(message, new RegExp(deployment))
    }
  }),
  reads("5.12", "rejects a very long credential", ({ http }) => {
    const keys = bearer(["a".repeat(8000), http.key + "a".repeat(8000), `${http.key} ${" ".repeat(8000)}x`])
    return refuses(http, [...keys, [`${"B".repeat(8000)} x`]], "invalid_credential", "missing_credential")
  }),
  // This test sends the key in places that might be logged, so a read-only run against production omits the test.
  writes("5.13", "accepts a key only in the Authorization header", async ({ http }) => {
    const { key } = http
    expectError(await http.get(`/pets?access_token=${key}&api_key=${key}&key=${key}`, keyless), "missing_credential")
    await eachOf([`Cookie: access_token=${key}`, `X-API-Key: ${key}`, `Proxy-Authorization: ${key}`], async (header) =>
      expectError(await http.get("/pets", { ...keyless, headers: [header] }), "missing_credential"),
    )
    const form = { ...keyless, contentType: "application/x-www-form-urlencoded" }
    expectError(await http.post(`access_token=${key}`, form), "missing_credential")
  }),
  reads("5.14", "sends a plain challenge to a request without a credential", ({ http }) =>
    eachOf([[], ...withoutCredential], async (authorization) =>
      assert.deepEqual((await http.get("/pets", { authorization })).all("www-authenticate"), [plainChallenge]),
    ),
  ),
  reads("5.15", "sends a challenge with error=invalid_token for a wrong key", async ({ http }) => {
    for (const authorization of [...bearer(["nonsense", `${http.key}x`]), [`Bearer ${http.key}`, `Bearer ${http.key}`]]) {
      assert.deepEqual((await http.get("/pets", { authorization })).all("www-authenticate"), [tokenChallenge])
    }
  }),
  reads("5.17", "creates keys in the documented form", async ({ http }) => {
    if (!http.key.startsWith("pst_")) throw new NotTested("the given key was not created by this service")
    const [prefix, random] = ourForm(http.key)
    assert.ok(
      http.key === prefix + random + checksum(prefix + random),
      "the last six characters of the key are not the base62 CRC-32 of the others",
    )
  }),
  sentence("5.18", "rejects a revoked key", { writes: false, needs: ["revokedKey"] }, ({ http, given }) =>
    refuses(http, bearer([given.revokedKey ?? ""]), "invalid_credential"),
  ),
  sentence("5.19", "rejects an expired key", { writes: false, needs: ["expiredKey"] }, ({ http, given }) =>
    refuses(http, bearer([given.expiredKey ?? ""]), "invalid_credential"),
  ),
  sentence("5.27", "rejects the keys of a disabled account", { writes: false, needs: ["disabledKey"] }, ({ http, given }) =>
    refuses(http, bearer([given.disabledKey ?? ""]), "invalid_credential"),
  ),
  writes("5.24", "gives one key access to every operation", ({ http }) => needsKey(http)),
  sentence("5.21", "shows every account the same pets", { writes: true, needs: ["secondKey"] }, async ({ http, given }) => {
    const other = http.withKey(given.secondKey ?? "")
    const pet = await create(http)
    assert.deepEqual(await readPet(other, pet.id), pet)
    assert.deepEqual(pageOf(await other.get("/pets?limit=5")), pageOf(await http.get("/pets?limit=5")))
  }),
  reads("5.22", "never repeats a key in a response", async ({ http }) => {
    const wrong = http.key.slice(0, -1) + (http.key.endsWith("A") ? "B" : "A")
    const responses = [
      [200, http.key, await http.get("/pets")],
      [404, http.key, await http.get("/nowhere")],
      [400, http.key, await http.get("/pets?limit=x")],
      [401, wrong, await http.get("/pets", { authorization: [`Bearer ${wrong}`] })],
      [401, http.key, await http.get("/pets", { authorization: [`Bearer ${http.key} x`] })],
      [401, http.key, await http.get("/pets", { authorization: [`Token ${http.key}`] })],
      [404, http.key, await http.get(`/${http.key}`)],
      [404, http.key, await http.get(`/pets/${http.key}`)],
      [400, http.key, await http.get(`/pets?status=${http.key}`)],
      [400, http.key, await http.get(`/pets?cursor=${http.key}`)],
      [200, http.key, await http.get("/pets", { headers: [`X-Request-Id: ${http.key}`] })],
    ] as const
    for (const [status, key, response] of responses) {
      expectStatus(response, status)
      const whole = [...response.headers.flat(), response.text].join("\n")
      assert.ok(!whole.includes(key), `a response with status ${status} contains the key`)
    }
  }),
  reads("5.23", "links to the page that explains how to get a key", async ({ http }) => {
    for (const authorization of [[], ["Bearer nonsense"], ["Bearer pst_dev_mistyped"]]) {
      const message = expectError(await http.get("/pets", { authorization }), "missing_credential", "invalid_credential")
      assert.match(message, /\/docs#start$/)
    }
  }),
  sentence("5.25", "lets a read-only key read but not change anything", withReadOnlyKey, async ({ http, given }) => {
    const reader = http.withKey(given.readOnlyKey ?? "")
    const pet = await create(http)
    const path = `/pets/${pet.id}`
    expectError(await reader.send({ method: "PATCH", path, body: '{"name":"changed"}' }), "insufficient_scope")
    expectError(await reader.send({ method: "DELETE", path }), "insufficient_scope")
    assert.deepEqual(await readPet(reader, pet.id), pet)
  }),
  sentence(
    "5.26",
    "sends a challenge with error=insufficient_scope for a read-only key",
    withReadOnlyKey,
    async ({ http, given }) => {
      for (const response of await onlyReads(http.withKey(given.readOnlyKey ?? ""))) {
        assert.deepEqual(response.all("www-authenticate"), [`${plainChallenge}, error="insufficient_scope"`])
      }
    },
  ),
]
