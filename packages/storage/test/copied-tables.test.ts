/** A copy takes every table and every column of both schemas along, or a store fills it itself. */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { copiedTables, derivedTables } from "../src/copy/tables.js"
import { migrate } from "../src/sqlite/migrations.js"
import { newStoreDatabase, sql } from "./postgres-store.js"

/** Columns that a copy fills by itself. */
const derivedColumns = { sqlite: ["pets.waiting_words"], postgres: ["pets.words", "pets.slot", "changes.slot"] }

const copied = copiedTables.flatMap(({ name, columns }) => Object.keys(columns).map((column) => `${name}.${column}`))

it("of SQLite", () => {
  const file = new DatabaseSync(":memory:")
  Effect.runSync(migrate(file, ":memory:", { migrate: true }))
  const columns = file
    .prepare(
      `SELECT t.name || '.' || c.name AS name, t.name AS table_name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE 'pet\\_words\\_%' ESCAPE '\\'`,
    )
    .all()
  // The deployment is part of a store's state.
  const known = [...derivedTables, "deployment"]
  const others = columns.filter(({ table_name }) => !known.includes(String(table_name))).map(({ name }) => String(name))
  expect(others.toSorted()).toStrictEqual([...copied, ...derivedColumns.sqlite].toSorted())
})

it("of PostgreSQL", async () => {
  const url = await newStoreDatabase()
  const columns = await sql(
    url,
    "SELECT table_name || '.' || column_name AS name, table_name FROM information_schema.columns WHERE table_schema = current_schema()",
  )
  const known = [...derivedTables, "petstore_schema"]
  const others = columns.filter(({ table_name }) => !known.includes(String(table_name))).map(({ name }) => String(name))
  expect(others.toSorted()).toStrictEqual([...copied, ...derivedColumns.postgres].toSorted())
})
