/** A change of the schema behind a transaction that does not end. */
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it } from "vitest"
import { openStore, sql, tryToOpen } from "../postgres-store.js"

it("is given up after a minute, names the session in the way, and is made when that is gone", async () => {
  const url = await newPostgresDatabase()
  await openStore(url).then(({ close }) => close())
  await sql(url, "ALTER TABLE api_keys DROP COLUMN replaced_by; UPDATE petstore_schema SET version = 5")
  await sql(url, "DROP TABLE petstore_processes, categories")
  const reader = new Client({ connectionString: url, application_name: "pg_dump" })
  await reader.connect()
  try {
    await reader.query("BEGIN; SELECT 1 FROM api_keys")
    const { rows } = await reader.query("SELECT pg_backend_pid() AS pid")
    const reason = await tryToOpen(url, true)
    expect(reason).toContain(`session ${rows[0].pid} ("pg_dump" of petstore, in a transaction since`)
    await reader.query("COMMIT")
    expect(await tryToOpen(url, true)).toBe("opened")
  } finally {
    await reader.end()
  }
})
