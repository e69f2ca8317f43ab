/** `petstore copy` through every engine and back. */
import { join } from "node:path"
import { environmentIn, petstore, run } from "@petstore/harness/command"
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
  let first = await checksumOf(urls[0] ?? "")
  expect(first["tables"]).toMatchObject({
    pets: { rows: BigInt(names.length - 3) },
    orders: { rows: 3n },
    accounts: { rows: 2n },
    api_keys: { rows: 5n },
    categories: { rows: 1n },
    deprecated_calls: { rows: 1n },
    webhooks: { rows: 1n },
    idempotency_keys: { rows: BigInt(names.length + 3) },
  })
  for (const [index, to] of urls.slice(1).entries()) {
    expect(await petstore(on(urls[index] ?? ""), "copy", "--to", to)).toStrictEqual({ ...first, movedAside: null })
    if (index === 1) {
      const tablesOf = ({ tables }: typeof first) => ({ ...Object(tables), webhooks: undefined })
      const former = tablesOf(first)
      await petstore(on(to), "migrate", "--distribute")
      // The distribution counts as a change of the webhooks, because it takes them from their holders.
      first = await checksumOf(to)
      expect(tablesOf(first)).toStrictEqual(former)
    }
    expect(await checksumOf(to)).toStrictEqual(first)
  }
  for (const url of [urls[2] ?? "", urls[4] ?? ""]) {
    const service = await serve(environmentIn(folder, { DATABASE_URL: url }))
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    const post = (path: string, body: unknown, more = {}) =>
      fetch(`${service.baseUrl}${path}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) })
    const textOf = async (path: string) => (await fetch(`${service.baseUrl}${path}`, { headers })).text()
    const repeated = await post("/pets", { name: names[0], categoryId: -20, status: "available" }, { "Idempotency-Key": "pet-0" })
    expect({ status: repeated.status, text: await repeated.text() }).toMatchObject({
      status: 201,
      text: expect.stringContaining('"id":1,'),
    })
    const next = await post("/pets", { name: "Next", categoryId: 1 })
    expect(BigInt(/"id":(\d+),/.exec(await next.text())?.[1] ?? 0)).toBeGreaterThan(4611686018427387905n)
    expect(await textOf("/pets?name=lapka")).toContain("Łapka")
    expect(await textOf("/store/orders/3")).toContain("Collects on Monday")
    // A removed animal can still be taken back.
    const restored = await post("/pets/2/restore", undefined)
    expect({ status: restored.status, text: await restored.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining('"id":2,'),
    })
    expect(
      JSON.parse(await textOf("/changes?petId=2")).map(({ operation }: { readonly operation: string }) => operation),
    ).toStrictEqual([...["createPet", "removePet", "restorePet"]])
    expect(await textOf("/store/inventory")).toContain(`"total":${names.length - 1}`)
    expect((await run(on(url), "webhooks", "list", "--json")).stdout).toContain('"disabled":null')
    await service.stop()
  }
  const distributed = await newCitusDatabase()
  await petstore(on(distributed), "migrate")
  await petstore(on(distributed), "migrate", "--distribute")
  expect((await run(environment, "copy", "--to", distributed)).stderr).toContain("are distributed. Copy to a new database")
})
