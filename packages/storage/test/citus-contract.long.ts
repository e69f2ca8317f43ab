/** Runs the contract suites on tables that Citus distributes across two workers. */
import {
  categoryRepositoryContract,
  changeRepositoryContract,
  credentialRepositoryContract,
  deploymentRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
  webhookRepositoryContract,
} from "@petstore/core/testing"
import { newCitusDatabase } from "@petstore/test/postgres"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AppDatabase, type AppTable } from "../src/app-table.js"
import { distributePostgres } from "../src/postgres/distribute.js"
import { storage } from "../src/storage.js"
import { emptyCitus, newSpreadDatabase } from "./citus-store.js"
import { sql } from "./postgres-store.js"

const name = "Citus"

petRepositoryContract(name, emptyCitus)
orderRepositoryContract(name, emptyCitus)
inventoryRepositoryContract(name, emptyCitus)
categoryRepositoryContract(name, emptyCitus)
changeRepositoryContract(name, emptyCitus)
credentialRepositoryContract(name, emptyCitus)
deploymentRepositoryContract(name, emptyCitus)
deprecatedCallRepositoryContract(name, emptyCitus)
webhookRepositoryContract(name, emptyCitus)

const guest = (name: string): AppTable => ({
  name,
  create: { sqlite: "", postgres: `CREATE TABLE IF NOT EXISTS ${name} (id int8 PRIMARY KEY, note text NOT NULL)` },
})

describe("an app's table", () => {
  const shardsOf = async (url: string, table: string) =>
    (await sql(url, "SELECT shardid FROM pg_dist_shard WHERE logicalrelid = $1::regclass", [table])).length

  const use = (url: string, table: string) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { write, read } = yield* AppDatabase
        yield* write(`INSERT INTO ${table} (id, note) VALUES ($1, $2)`, [1n, "kept"])
        return yield* read(`SELECT note FROM ${table}`, [])
      }).pipe(Effect.provide(storage({ adapter: "postgres", url }, { migrate: true, appTables: [guest(table)] }))),
    )

  it("is distributed along with the store, even by a program without the app", async () => {
    const url = await newCitusDatabase()
    expect(await use(url, "notes")).toEqual([["kept"]])
    await Effect.runPromise(distributePostgres(url, { shards: 4 }))
    expect(await shardsOf(url, "notes")).toBe(4)
    expect(await sql(url, "SELECT note FROM notes")).toEqual([{ note: "kept" }])
  })

  it("is distributed when a program adds the table to a distributed store", async () => {
    const url = await newSpreadDatabase()
    expect(await use(url, "notes")).toEqual([["kept"]])
    expect(await shardsOf(url, "notes")).toBe(8)
  })
})
