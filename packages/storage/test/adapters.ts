/** All adapters, ready for the contract suites. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DatabaseSync as SqljsDatabaseSync } from "@petstore/sqljs"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, onTestFinished } from "vitest"
import { sqliteStorage as builtSqliteStorage } from "../dist/sqlite/storage.js"
import type { Repositories } from "../src/repositories.js"
import type { DatabaseSyncClass } from "../src/sqlite/engine/one-name.js"
import { storage } from "../src/storage.js"
import { deleteEverything } from "./delete-everything.js"
import { emptyContractDatabase, emptyPostgres, unhurried } from "./postgres-store.js"
import { newFile, otherConnection, storeIn, storeInNewFile } from "./sqlite-file.js"

/** Empties a store that stays open. */
export class Emptying extends Context.Tag("Emptying")<Emptying, Effect.Effect<void>>() {}

export interface Adapter {
  readonly name: string
  /** Opens an empty store. */
  readonly empty: Layer.Layer<Repositories, unknown>
  /** Creates a location for a store, and returns a layer that opens the same store each time it is used. */
  readonly lasting?: () => Layer.Layer<Repositories, unknown>
  /** Opens a store that can be emptied, for one test after another. Set if opening a store is slow. */
  readonly reusable?: Layer.Layer<Repositories | Emptying, unknown>
}

/** The store for each test in a file or suite: a new store, or one that is emptied before the test. */
export const storeOf = ({ empty, reusable }: Adapter): Adapter["empty"] => {
  if (reusable === undefined) return empty
  const store = ManagedRuntime.make(reusable)
  afterAll(() => store.dispose())
  return Layer.effectContext(
    Effect.promise(async () => {
      await store.runPromise(Effect.flatten(Emptying))
      return (await store.runtime()).context
    }),
  )
}

/** Removes the history, in which the triggers for SQL by hand have recorded the deletions. */
const forgetting = "DELETE FROM changes; DELETE FROM change_actors; UPDATE removed_changes SET last_place = '0-0';"

/** A store in a new file, for many tests. */
const reusableFile = (open: (path: string) => Layer.Layer<Repositories, unknown>, Sqlite: DatabaseSyncClass = DatabaseSync) =>
  Layer.unwrapScoped(
    Effect.map(newFile, (path) => {
      const emptying = Effect.map(otherConnection(path, Sqlite), (connection) =>
        Effect.sync(() =>
          connection.exec(`BEGIN; ${deleteEverything}; DELETE FROM pet_words; DELETE FROM deployment; ${forgetting} COMMIT`),
        ),
      )
      return Layer.provideMerge(Layer.scoped(Emptying, emptying), open(path))
    }),
  )

/** Opens a store in a new folder, which is removed after the running test. */
const inNewFolder = (open: (path: string) => Layer.Layer<Repositories, unknown>) => () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-storage-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return open(join(folder, "petstore.db"))
}

const sqljsIn = (path: string) => storage({ adapter: "sqljs", path }, { migrate: true })

/** Writes on a separate thread, as the store does on a slow disk. Only the built package has the thread's file. */
const writtenByThread = (path: string) => builtSqliteStorage(DatabaseSync, path, { migrate: true }, "always")

export const sqliteAdapters: ReadonlyArray<Adapter> = [
  { name: "a SQLite file", empty: storeInNewFile, lasting: inNewFolder(storeIn) },
  {
    name: "a SQLite file with a writer thread",
    empty: Layer.unwrapScoped(Effect.map(newFile, writtenByThread)),
    reusable: reusableFile(writtenByThread),
  },
  {
    name: "SQLite in memory",
    empty: storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true }),
  },
]

export const sqljsAdapters: ReadonlyArray<Adapter> = [
  {
    name: "a sql.js file",
    empty: Layer.unwrapScoped(Effect.map(newFile, sqljsIn)),
    lasting: inNewFolder(sqljsIn),
    reusable: reusableFile(sqljsIn, SqljsDatabaseSync),
  },
  {
    name: "sql.js in memory",
    empty: sqljsIn(":memory:"),
  },
]

export const memoryAdapters: ReadonlyArray<Adapter> = [
  { name: "memory", empty: storage({ adapter: "memory" }, { migrate: true }) },
]

export const postgresAdapters: ReadonlyArray<Adapter> = [
  {
    name: "PostgreSQL",
    empty: emptyPostgres,
    lasting: () => {
      const made = newPostgresDatabase()
      const open = (url: string) => storage(url, { migrate: true, postgres: unhurried })
      return Layer.unwrapEffect(Effect.promise(async () => open(await made)))
    },
    reusable: Layer.merge(Layer.succeed(Emptying, Effect.promise(emptyContractDatabase)), emptyPostgres),
  },
]

export const adapters: ReadonlyArray<Adapter> = [...memoryAdapters, ...sqliteAdapters, ...sqljsAdapters, ...postgresAdapters]
