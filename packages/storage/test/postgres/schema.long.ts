/** Only one process runs each migration step of a PostgreSQL store. Tests of `petstore migrate` start five processes at once. */
import { newPostgresDatabase, statementsOf } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it } from "vitest"
import { threePets } from "../inventory.js"
import { newStoreDatabase, openStore, secondStep, sql, tryToOpen, tryToTake, withClient } from "../postgres-store.js"

it("stores that open concurrently run the first migration step only once", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  await Promise.all(Array.from({ length: 5 }, () => openStore(url).then(({ close }) => close())))
  const made = (await statementsOf(url, "petstore")).filter((statement) =>
    statement.includes("CREATE TABLE IF NOT EXISTS pets ("),
  )
  expect(made).toHaveLength(1)
})

it("a later start does not repeat the first migration step", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  expect([
    await tryToOpen(url, { migrate: true }),
    await tryToOpen(url, { migrate: true }),
    await tryToOpen(url, { migrate: false }),
  ]).toStrictEqual(["opened", "opened", "opened"])
  expect(
    (await statementsOf(url, "petstore")).filter((statement) => /CREATE TABLE IF NOT EXISTS pets \(/.test(statement)),
  ).toHaveLength(1)
})

it("a start takes over the claim of a dead process after a lease, although the server's clock was set back", async () => {
  const url = await newStoreDatabase()
  const [known] = await sql(url, "SELECT version FROM petstore_schema")
  await sql(
    url,
    `DROP TABLE pets, accounts, api_keys, idempotency_keys, deprecated_calls, orders, inventory, petstore_processes, categories, webhooks;
     UPDATE petstore_schema SET version = 99, claimed_by = 'dead', claimed_until = now() + interval '2 hours'`,
  )
  await openStore(url).then(({ close }) => close())
  const [row] = await sql(url, "SELECT version, claimed_by <> 'dead' AS taken_over FROM petstore_schema")
  expect(row?.["version"]).toBe(known?.["version"])
  expect(row?.["taken_over"]).toBe("t")
  expect(await sql(url, "SELECT id FROM pets")).toStrictEqual([])
})

it("a start continues a step whose process died between two statements", async () => {
  const url = await newStoreDatabase()
  await sql(
    url,
    `DROP TABLE accounts, deprecated_calls, orders, inventory, petstore_processes, categories, webhooks;
     UPDATE petstore_schema SET version = 99, claimed_by = 'dead', claimed_until = now() - interval '1 second'`,
  )
  await openStore(url).then(({ close }) => close())
  expect(await sql(url, "SELECT id FROM accounts")).toStrictEqual([])
})

it("a waiting process refuses the schema if a newer release migrates it", async () => {
  const url = await newStoreDatabase()
  await sql(url, "UPDATE petstore_schema SET version = 99, claimed_by = 'newer', claimed_until = now() + interval '1 minute'")
  const outcome = tryToOpen(url, { migrate: true })
  await expect.poll(() => waitsForClaim(url)).toBe(true)
  await sql(url, "UPDATE petstore_schema SET version = 999, claimed_until = NULL")
  expect(await outcome).toContain("version 999, which is newer")
  expect(await sql(url, "SELECT version FROM petstore_schema")).toStrictEqual([{ version: "999" }])
})

it("a process makes no further changes if a newer release takes over its claim during a step", async () => {
  const url = await newPostgresDatabase()
  await withClient(url, async (other) => {
    // A process that also creates the accounts table waits for the end of this transaction.
    await other.query("BEGIN; CREATE TABLE accounts (id text)")
    const outcome = tryToOpen(url, { migrate: true })
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    await expect.poll(async () => (await sql(url, waits)).length).toBe(1)
    await sql(url, "UPDATE petstore_schema SET version = 999, claimed_by = 'newer', claimed_until = NULL")
    await other.query("ROLLBACK")
    expect(await outcome).toContain("version 999, which is newer")
    const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    expect((await sql(url, tables)).map(({ tablename }) => tablename)).not.toContain("api_keys")
  })
})

/** Whether a process polls for the claim. */
const waitsForClaim = async (url: string): Promise<boolean> => {
  const looks = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT claimed_by%' AND datname = current_database()"
  return (await sql(url, looks)).length > 0
}

it("a program refuses a newer schema, and an older schema if migrations are off", async () => {
  const url = await newPostgresDatabase()
  expect(await tryToOpen(url, { migrate: false })).toContain("but this program needs")
  expect(await tryToOpen(url, { migrate: true })).toBe("opened")
  await sql(url, "UPDATE petstore_schema SET version = 999")
  expect(await tryToOpen(url, { migrate: true })).toContain("which is newer")
})

it("a program refuses a database whose encoding cannot store every text", async () => {
  const url = await newPostgresDatabase()
  await sql(url, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
  const latin = new URL(url)
  latin.pathname = "/latin"
  expect(await tryToOpen(latin.href, { migrate: true })).toContain("has the encoding LATIN1")
})

it("a step waits for a long read, and blocks other requests for less than their timeout", async () => {
  const url = await newStoreDatabase()
  await withClient(url, async (reader) => {
    await reader.query("BEGIN; SELECT 1 FROM api_keys")
    const outcome = tryToTake(url)
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    await expect.poll(async () => (await sql(url, waits)).length, { interval: 20 }).toBe(1)
    // This query is queued behind the change, for at most a request's timeout.
    expect(await sql(url, "SET statement_timeout = 1500; SELECT id FROM api_keys")).toStrictEqual([])
    await reader.query("COMMIT")
    expect(await outcome).toBe("migrated")
  })
})

it("a program refuses a database with another program's table idempotency_keys until that table is dropped", async () => {
  const url = await newPostgresDatabase()
  await sql(url, "CREATE TABLE idempotency_keys (id int8)")
  expect(await tryToOpen(url, { migrate: true })).toContain("already has a table idempotency_keys")
  expect(await tryToOpen(url, { migrate: true })).toContain("already has a table idempotency_keys")
  await sql(url, "DROP TABLE idempotency_keys")
  expect(await tryToOpen(url, { migrate: true })).toBe("opened")
})

it("a step recreates an index that a failed attempt left invalid", async () => {
  const url = await newStoreDatabase()
  const writer = new Client({ connectionString: url })
  const maker = new Client({ connectionString: url, statement_timeout: 300 })
  await Promise.all([writer.connect(), maker.connect()])
  try {
    // The creation of an index waits for writers.
    await writer.query("BEGIN; INSERT INTO pets (name, category_id) VALUES ('Bello', 1)")
    const make = maker.query("CREATE INDEX CONCURRENTLY pets_by_name ON pets (name)")
    await expect(make).rejects.toThrow("statement timeout")
  } finally {
    await Promise.all([writer.end(), maker.end()])
  }
  const isValid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'pets_by_name'::regclass"
  expect(await sql(url, isValid)).toStrictEqual([{ indisvalid: "f" }])
  expect(await tryToTake(url)).toBe("migrated")
  expect(await sql(url, isValid)).toStrictEqual([{ indisvalid: "t" }])
})

it("a second step keeps the pets, runs beside a service, continues after a crash, and makes the store newer than this release", async () => {
  const url = await newStoreDatabase()
  const service = await openStore(url)
  try {
    await service.run(threePets)
    // As after a crash between two statements of the step.
    await sql(
      url,
      `${secondStep[0]}; UPDATE petstore_schema SET claimed_by = 'dead', claimed_until = now() + interval '1 second'`,
    )
    expect(await Promise.all([tryToTake(url), tryToTake(url)])).toStrictEqual(["migrated", "migrated"])
    await service.run(threePets)
  } finally {
    await service.close()
  }
  expect(await sql(url, "SELECT version, (SELECT count(*) FROM pets) AS pets FROM petstore_schema")).toStrictEqual([
    { version: "101", pets: "6" },
  ])
  expect(await tryToOpen(url, { migrate: true })).toContain("version 101, which is newer")
})

it("a store from before 1.0.0 is refused with how to take its pets along, and left unchanged", async () => {
  const url = await newPostgresDatabase()
  await sql(
    url,
    `CREATE TABLE petstore_schema (only_row int8 PRIMARY KEY, version int8 NOT NULL, claimed_by text, claimed_until timestamptz);
     INSERT INTO petstore_schema (only_row, version) VALUES (1, 12);
     CREATE TABLE pets (id int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text NOT NULL, category_id int8 NOT NULL, status text)`,
  )
  for (const migrate of [true, false]) {
    expect(await tryToOpen(url, { migrate })).toMatch(/is from before 1\.0\.0, .*petstore import pets\.ndjson/)
  }
  const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
  expect((await sql(url, tables)).map(({ tablename }) => tablename)).toStrictEqual(["pets", "petstore_schema"])
})
