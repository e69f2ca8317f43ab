/** Section 4.6: paths outside the base path. */
import assert from "node:assert/strict"
import { gunzipSync } from "node:zlib"
import { members } from "@petstore/harness/exact-json"
import { expectStatus } from "@petstore/harness/expectations"
import { refusesAll } from "../every.ts"
import { keyless, NotTested, reads, type Sentence } from "../sentence.ts"
import { words } from "../wrong-values.ts"

export const outside: ReadonlyArray<Sentence> = [
  reads("4.6.1", "responds to a liveness check without a key", async ({ http }) =>
    expectStatus(await http.send({ target: "/healthz", ...keyless }), 200),
  ),
  reads("4.6.2", "responds to a readiness check without a key", async ({ http }) =>
    expectStatus(await http.send({ target: "/readyz", ...keyless }), 200),
  ),
  reads("4.6.3", "shows its contract without a key", async ({ http }) => {
    const response = expectStatus(await http.send({ target: "/openapi.json", ...keyless }), 200)
    assert.match(String(members(response.json)?.["openapi"]), /^3\.1\.\d+$/)
  }),
  reads("4.6.4", "shows its docs page without a key", async ({ http }) => {
    const response = expectStatus(await http.send({ target: "/docs", ...keyless }), 200)
    assert.match(response.header("content-type") ?? "none", /^text\/html/)
  }),
  reads("4.6.5", "redirects the root to the docs page", async ({ http }) => {
    assert.equal(expectStatus(await http.send({ target: "/", ...keyless }), 302).header("location"), "/docs")
  }),
  reads("4.6.7", "shows the store page without a key, unless it is turned off", async ({ http }) => {
    const response = await http.send({ target: "/store", ...keyless })
    if (response.status === 404) throw new NotTested("the store page is turned off")
    expectStatus(response, 200)
    assert.match(response.header("content-type") ?? "none", /^text\/html/)
    assert.match(response.header("content-security-policy") ?? "none", /^default-src 'none'; script-src 'self'/)
  }),
  reads("4.6.25", "compresses the contract and the pages for clients that take gzip", async ({ http }) => {
    for (const target of ["/openapi.json", "/docs", "/docs/page.js", "/store", "/store/page.js"]) {
      const plain = await http.send({ target, ...keyless, headers: ["Accept-Encoding: gzip;q=0"] })
      if (plain.status === 404 && target.startsWith("/store")) continue
      const packed = await http.send({ target, ...keyless, headers: ["Accept-Encoding: gzip, br"] })
      assert.equal(packed.header("content-encoding"), "gzip")
      assert.deepEqual(gunzipSync(packed.body), plain.body)
      assert.notEqual(packed.header("etag"), plain.header("etag"))
      for (const response of [plain, packed]) assert.match(response.header("vary") ?? "none", /\baccept-encoding\b/i)
    }
  }),
  reads("4.6.6", "responds with 404 to other paths, with or without a key", async ({ http }) => {
    const values = words(`
        /nowhere /pets /v1x /v1x/pets /v10/pets /healthz/ /HEALTHZ
        /favicon.ico /.env /%00 /%zz /v1%2Fpets /openapi.json/x
      `)
    await refusesAll("route_not_found", values, (target) => http.send({ target, ...keyless }))
    await refusesAll("route_not_found", values, (target) => http.send({ target }))
    await refusesAll("route_not_found", values, (target) => http.send({ target, method: "DELETE", ...keyless }))
  }),
]
