/** `petstore copy` through every engine and back. */
import { join } from "node:path"
import { environmentIn, petstore } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newCitusDatabase, newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { checksumOf, makeStore, names, on } from "./copied-store.js"

it("a whole store is equal after SQLite, PostgreSQL, Citus, sql.js and SQLite again, and goes on where it was", async () => {
  const folder = temporaryFolder()
  const { environment, key } = await makeStore(folder)
  const file = (name: string) => join(folder, name)
  const urls = [
    String(environment["DATABASE_URL"]),
    await newPostgresDatabase(),
    await newCitusDatabase(),
    `sqljs:${file("js.db")}`,
    `sqlite:${file("end.db")}`,
  ]
  const first = await checksumOf(urls[0] ?? "")
  expect(first["tables"]).toMatchObject({
    pets: { rows: BigInt(names.length - 3) },
    orders: { rows: 3n },
    accounts: { rows: 1n },
    api_keys: { rows: 5n },
    categories: { rows: 1n },
    deprecated_calls: { rows: 1n },
    idempotency_keys: { rows: BigInt(names.length + 3) },
  })
  for (const [index, to] of urls.slice(1).entries()) {
    expect(await petstore(on(urls[index] ?? ""), "copy", "--to", to)).toStrictEqual({ ...first, movedAside: null })
    if (index === 1) await petstore(on(to), "migrate", "--distribute")
    expect(await checksumOf(to)).toStrictEqual(first)
  }
  const service = await serve(environmentIn(folder, { DATABASE_URL: urls[4] ?? "" }))
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const post = (path: string, body: unknown, more = {}) =>
    fetch(`${service.baseUrl}${path}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) })
  const repeated = await post("/pets", { name: names[0], categoryId: -20, status: "available" }, { "Idempotency-Key": "pet-0" })
  expect({ status: repeated.status, text: await repeated.text() }).toMatchObject({
    status: 201,
    text: expect.stringContaining('"id":1,'),
  })
  const next = await post("/pets", { name: "Next", categoryId: 1 })
  expect(await next.text()).toContain('"id":4611686018427387906,')
  const found = await fetch(`${service.baseUrl}/pets?name=lapka`, { headers })
  expect(await found.text()).toContain("Łapka")
  const inventory = await fetch(`${service.baseUrl}/store/inventory`, { headers })
  expect(await inventory.text()).toContain(`"total":${names.length - 2}`)
})
