/** Tests the statements that a connection prepares, the plans of these statements, and a connection's settings. */
import { PetId, PetRepository } from "@petstore/core"
import { newPostgresDatabase, statementsOf } from "@petstore/test/postgres"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { AppDatabase } from "../../../src/app-table.js"
import { openAsPooler } from "../../as-pooler.js"
import { type OpenStore, openStore, sql, withStore } from "../../postgres-store.js"

const bello = { name: "Bello", categoryId: 7n }

const insert = Effect.flatMap(PetRepository, (pets) => pets.insert(bello))
const find = (id: bigint) => Effect.flatMap(PetRepository, (pets) => pets.find(PetId.make(id)))

/** One connection, with timeouts for a busy machine. */
const patient = { poolSize: 1, statementTimeoutMillis: 20_000 }

/** Finds a pet so often that PostgreSQL switches from plans for specific values to a generic plan. */
const findOften = async (store: OpenStore, id: bigint): Promise<void> => {
  for (let count = 0; count < 10; count += 1) await store.run(find(id))
}

/** The number of executions of the statements that find a pet, by statement name. */
const namesOf = async (url: string): Promise<Readonly<Record<string, number>>> => {
  const names = (await statementsOf(url, "petstore")).flatMap(
    (statement) => /^execute (.+): SELECT .* FROM pets WHERE id = \$1$/.exec(statement)?.[1] ?? [],
  )
  return Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]))
}

it("a connection prepares frequent statements if there is no pooler", () =>
  withStore(
    async (store, url) => {
      await findOften(store, 1n)
      await expect.poll(() => namesOf(url)).toStrictEqual({ "find pet": 10 })
    },
    { ...patient, logsStatements: true },
  ))

it("a connection through a pooler prepares no statements, because the pooler can switch to another server process", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  const pooler = await openAsPooler(url)
  const store = await openStore(pooler.url, patient)
  try {
    await findOften(store, 1n)
    await expect.poll(() => namesOf(url)).toStrictEqual({ "<unnamed>": 10 })
  } finally {
    await store.close()
    pooler.close()
  }
})

it("a connection soon replaces a plan that was made while the table was small", () =>
  withStore(async (store, url) => {
    // Without autovacuum, the server's only statistics are those of the empty table.
    await sql(url, "ALTER TABLE pets SET (autovacuum_enabled = off)")
    await sql(url, "VACUUM (ANALYZE) pets")
    await findOften(store, 1n)
    await sql(url, "INSERT INTO pets (name, category_id) SELECT 'Pet', 1 FROM generate_series(1, 20000)")
    const foundByIndex = async () => {
      await store.run(find(1n))
      const [used] = await sql(url, "SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'pets'")
      return Number(used?.["idx_scan"])
    }
    // The server updates index usage statistics once a second.
    await expect.poll(foundByIndex).toBeGreaterThan(0)
  }, patient))

it("a store finds a pet even if a column's type has changed since the statement was prepared", () =>
  withStore(async (store, url) => {
    const pet = await store.run(insert)
    await findOften(store, pet.id)
    await sql(url, "ALTER TABLE pets ALTER COLUMN name TYPE varchar(1024)")
    expect(await store.run(find(pet.id))).toStrictEqual(Option.some(pet))
  }, patient))

it("a store finds a pet even if the server has lost its prepared statements, and then uses unnamed statements for a while", () =>
  withStore(
    async (store, url) => {
      await sql(
        url,
        `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN NEW; END $$;
         CREATE TRIGGER forget BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION forget()`,
      )
      await findOften(store, 1n)
      const pet = await store.run(insert)
      expect(await store.run(find(pet.id))).toStrictEqual(Option.some(pet))
      await findOften(store, pet.id)
      await expect.poll(() => namesOf(url)).toStrictEqual({ "<unnamed>": 11, "find pet": 10 })
    },
    { ...patient, logsStatements: true },
  ))

it("a connection uses the isolation level that its statements need, even if the database has another default", () =>
  withStore(async (_store, url) => {
    await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = 'serializable'`)
    const store = await openStore(url, patient)
    const isolation = Effect.flatMap(AppDatabase, ({ read }) => read("SHOW transaction_isolation", []))
    expect(await store.run(isolation)).toStrictEqual([["read committed"]])
    await store.close()
  }))

it("a store acknowledges a write even if the server sends an unrelated warning", () =>
  withStore(async (store, url) => {
    await sql(
      url,
      `CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE WARNING 'database "petstore" must be vacuumed within 39985967 transactions'; RETURN NEW;
       END $$;
       CREATE TRIGGER warn BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION warn()`,
    )
    expect(await store.run(insert)).toMatchObject(bello)
  }, patient))
