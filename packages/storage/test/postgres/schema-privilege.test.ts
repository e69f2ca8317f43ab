/** A user who may not create tables, which is the default of PostgreSQL 15 and later. */
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it, onTestFinished } from "vitest"
import { sql, tryToOpen } from "../postgres-store.js"

it("a store whose user may not create tables is refused with the statement that grants this", async () => {
  const url = await newPostgresDatabase()
  await sql(url, "CREATE ROLE without_create LOGIN PASSWORD 'x'; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
  onTestFinished(async () => void (await sql(url, "DROP ROLE without_create")))
  const other = new URL(url)
  other.username = "without_create"
  other.password = "x"
  const reason = await tryToOpen(other.href, { migrate: true })
  expect(reason).toContain("permission denied for schema public")
  expect(reason).toContain("GRANT CREATE, USAGE ON SCHEMA public TO")
})
