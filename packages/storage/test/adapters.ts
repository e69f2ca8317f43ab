/** Every adapter, ready for the contract suites. */
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { sqliteStorage as builtSqliteStorage } from "../dist/sqlite/storage.js"
import { type Repositories, storage } from "../src/storage.js"
import { emptyPostgres } from "./postgres-store.js"
import { newFile, storeInNewFile } from "./sqlite-file.js"

export interface Adapter {
  readonly name: string
  /** Opens an empty store. */
  readonly empty: Layer.Layer<Repositories, unknown>
}

const sqljsIn = (path: string) => storage({ adapter: "sqljs", path }, { migrate: true })

/** As on a slow disk. The thread starts from a file of its own, which only the built package has. */
const writtenByThread = (path: string) => builtSqliteStorage(DatabaseSync, path, { migrate: true }, "always")

export const sqliteAdapters: ReadonlyArray<Adapter> = [
  { name: "a SQLite file", empty: storeInNewFile },
  {
    name: "a SQLite file with a writer thread",
    empty: Layer.unwrapScoped(Effect.map(newFile, writtenByThread)),
  },
  {
    name: "SQLite in memory",
    empty: storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true }),
  },
]

export const sqljsAdapters: ReadonlyArray<Adapter> = [
  {
    name: "a file of sql.js",
    empty: Layer.unwrapScoped(Effect.map(newFile, sqljsIn)),
  },
  {
    name: "sql.js in memory",
    empty: sqljsIn(":memory:"),
  },
]

export const memoryAdapters: ReadonlyArray<Adapter> = [
  { name: "memory", empty: storage({ adapter: "memory" }, { migrate: true }) },
]

export const postgresAdapters: ReadonlyArray<Adapter> = [{ name: "PostgreSQL", empty: emptyPostgres }]

export const adapters: ReadonlyArray<Adapter> = [...memoryAdapters, ...sqliteAdapters, ...sqljsAdapters, ...postgresAdapters]
