import { expect, it } from "vitest"
import { newSpreadDatabase } from "./citus-store.js"
import { openStore, serveUntil, sql } from "./postgres-store.js"

it("a start adds search keys to an older release's pets on every node", async () => {
  const url = await newSpreadDatabase()
  await sql(url, "INSERT INTO pets (name, category_id) SELECT 'Bello ' || n, 1 FROM generate_series(1, 2500) n")
  await (await openStore(url)).close()
  expect(await sql(url, "SELECT count(*) FROM pets WHERE search_key IS NULL")).toStrictEqual([{ count: "0" }])
  expect(await sql(url, "SELECT count(*) FROM pets WHERE search_key = lower(name)")).toStrictEqual([{ count: "2500" }])
})

it("a running service adds search keys to pets that an older release inserts", async () => {
  const url = await newSpreadDatabase()
  const kept =
    "INSERT INTO pets (name, category_id, search_key) SELECT name, 1, key FROM (VALUES ('Rex', NULL), ('Tom', 'tom')) old (name, key)"
  await sql(url, kept)
  const unkeyed = async () => (await sql(url, "SELECT name FROM pets WHERE search_key IS NULL")).length
  await serveUntil(url, () => expect.poll(unkeyed).toBe(0))
  expect(await sql(url, "SELECT name, search_key FROM pets ORDER BY name")).toStrictEqual([
    { name: "Rex", search_key: "rex" },
    { name: "Tom", search_key: "tom" },
  ])
})
