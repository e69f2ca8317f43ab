/** The schema of a PostgreSQL store: taken once, by one process, in the end. Five processes at once are tested with the command. */
import { newPostgresDatabase, statementsOf } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { openStore, sql, tryToOpen } from "./postgres-store.js"

it("is taken once by stores that open at once", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  await Promise.all(Array.from({ length: 5 }, () => openStore(url).then(({ close }) => close())))
  const made = (await statementsOf(url, "petstore")).filter((statement) =>
    statement.includes("CREATE TABLE IF NOT EXISTS pets ("),
  )
  expect(made).toHaveLength(1)
})

it("is not taken again", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  expect([await tryToOpen(url, true), await tryToOpen(url, true), await tryToOpen(url, false)]).toStrictEqual([
    "opened",
    "opened",
    "opened",
  ])
  expect(
    (await statementsOf(url, "petstore")).filter((statement) => /CREATE TABLE IF NOT EXISTS pets \(/.test(statement)),
  ).toHaveLength(1)
})

it("waits for a process that has the claim, and replaces it when its lease is over", async () => {
  const url = await newPostgresDatabase()
  await openStore(url).then(({ close }) => close())
  await sql(
    url,
    `DROP TABLE pets, accounts, api_keys, messages, idempotency_keys, deprecated_calls, orders;
     UPDATE petstore_schema SET version = 0, claimed_by = 'dead', claimed_until = now() + interval '1 second'`,
  )
  await openStore(url).then(({ close }) => close())
  const [row] = await sql(
    url,
    "SELECT version, claimed_by <> 'dead' AS taken_over, now() >= claimed_until AS leased FROM petstore_schema",
  )
  expect(row?.["version"]).toBe("2")
  expect(row?.["taken_over"]).toBe("t")
  expect(await sql(url, "SELECT id FROM pets")).toStrictEqual([])
})

it("goes on where a process died between two statements", async () => {
  const url = await newPostgresDatabase()
  await openStore(url).then(({ close }) => close())
  await sql(
    url,
    `DROP TABLE accounts, deprecated_calls;
     UPDATE petstore_schema SET version = 0, claimed_by = 'dead', claimed_until = now() - interval '1 second'`,
  )
  await openStore(url).then(({ close }) => close())
  expect(await sql(url, "SELECT id FROM accounts")).toStrictEqual([])
})

it("is refused when it is older and may not be taken, or newer than the program", async () => {
  const url = await newPostgresDatabase()
  expect(await tryToOpen(url, false)).toContain("Run: petstore migrate")
  expect(await tryToOpen(url, true)).toBe("opened")
  await sql(url, "UPDATE petstore_schema SET version = 99")
  expect(await tryToOpen(url, true)).toContain("newer than this program")
})

it("is refused in a database that cannot keep every text", async () => {
  const url = await newPostgresDatabase()
  await sql(url, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
  const latin = new URL(url)
  latin.pathname = "/latin"
  expect(await tryToOpen(latin.href, true)).toContain("has the encoding LATIN1")
})
