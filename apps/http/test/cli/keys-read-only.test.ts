/** `petstore keys` and the service with a read-only key. */
import { createKey, environmentIn, petstore, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("read-only keys can be created, listed and rotated, and the service refuses their changes", async () => {
  const environment = environmentIn(temporaryFolder(), { LOG_LEVEL: "silent" })
  await petstore(environment, "accounts", "create", "shop")
  const first = await createKey(environment, "shop")
  const reader = await createKey(environment, "shop", "--read-only")
  const rotated = await petstore(environment, "keys", "rotate", reader.id)
  expect(rotated).toMatchObject({ readOnly: true, former: { id: reader.id } })
  expect(JSON.parse((await run(environment, "keys", "list", "--json")).stdout)).toMatchObject([
    { id: first.id, readOnly: false },
    { id: reader.id, readOnly: true },
    { id: rotated["id"], readOnly: true },
  ])
  const { stdout } = await run(environment, "keys", "list")
  expect(stdout.match(/ {2}(?:MAY|read|all) {2}/g)?.map((cell) => cell.trim())).toEqual(["MAY", "all", "read", "read"])
  expect((await run(environment, "keys", "create", "--account", "shop", "--read-only")).stdout).toMatch(/^Read-only API key key_/)

  const service = await serve(environment)
  const call = (key: unknown, method: string) =>
    fetch(`${service.baseUrl}/pets`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(method === "POST" && { body: '{"name":"Bello","categoryId":7}' }),
    })
  for (const key of [reader.key, rotated["key"]]) {
    const refused = await call(key, "POST")
    expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="petstore", error="insufficient_scope"')
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { code: "insufficient_scope", status: 403, message: expect.stringContaining("read-only") },
    ])
    expect(await (await call(key, "GET")).json()).toEqual([])
  }
  expect((await call(first.key, "POST")).status).toBe(201)
})
