/** Tests migrations that wait for a long transaction. */
import { expect, it } from "vitest"
import { newStoreDatabase, sql, tryToTake, withClient } from "../postgres-store.js"

it("a migration fails after a minute, names the blocking session, and succeeds after that session ends", async () => {
  const url = await newStoreDatabase()
  await withClient({ connectionString: url, application_name: "pg_dump" }, async (reader) => {
    await reader.query("BEGIN; SELECT 1 FROM api_keys")
    const { rows } = await reader.query("SELECT pg_backend_pid() AS pid")
    const reason = await tryToTake(url)
    expect(reason).toContain(`session ${rows[0].pid} ("pg_dump" of petstore, in a transaction since`)
    await reader.query("COMMIT")
    expect(await tryToTake(url)).toBe("migrated")
  })
})

it("a migration keeps its claim while the creation of an index waits for a transaction", async () => {
  const url = await newStoreDatabase()
  await withClient(url, async (writer) => {
    await writer.query("BEGIN; INSERT INTO pets (name, category_id) VALUES ('Bello', 1)")
    const claim = () => sql(url, "SELECT claimed_by, claimed_until > now() + interval '13 seconds' AS fresh FROM petstore_schema")
    const outcomes = Promise.all([tryToTake(url), tryToTake(url)])
    await expect.poll(async () => (await claim())[0]?.["fresh"], { timeout: 5_000 }).toBe("t")
    const [first] = await claim()
    await expect.poll(async () => (await claim())[0]?.["fresh"], { timeout: 5_000 }).toBe("f")
    await expect.poll(async () => (await claim())[0], { timeout: 10_000 }).toStrictEqual(first)
    await writer.query("COMMIT")
    expect(await outcomes).toStrictEqual(["migrated", "migrated"])
  })
})
