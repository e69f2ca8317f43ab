import { existsSync } from "node:fs"
import { PetFreshness } from "@petstore/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Repositories, repositoriesOf } from "../repositories.js"
import { sqlRepositories } from "../sql/repositories.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import type { ServiceStorageOptions } from "../storage-options.js"
import { watchWrites } from "../write-probe.js"
import { makeAppTables, sqliteAppDatabase } from "./app-table.js"
import { sqliteCategoryRepository } from "./category-repository.js"
import { sqliteChangeRepository } from "./change-repository.js"
import { type JournalMode, openDatabase } from "./engine/database.js"
import { refuseFullDisk } from "./engine/disk-checks.js"
import type { WriterThread } from "./engine/group-commit.js"
import type { DatabaseSyncClass } from "./engine/one-name.js"
import { sqliteInventoryRepository } from "./inventory-repository.js"
import { migrate } from "./migrations.js"
import { sqliteOrderRepository } from "./order-repository.js"
import { sqlitePetFreshness } from "./pet-freshness.js"
import { sqlitePetRepository } from "./pet-repository.js"
import { compareWords } from "./pet-words.js"
import { sqliteTables } from "./tables.js"
import { sqliteWrites } from "./writes.js"

/** @param path a file, which is created if it is missing, or `:memory:` */
export const sqliteStorage = (
  Sqlite: DatabaseSyncClass,
  path: string,
  options: ServiceStorageOptions,
  writerThread: WriterThread = "never",
  journalMode: JournalMode = "WAL",
): Layer.Layer<Repositories, StorageNotOpened> => {
  const isReadOnly = options.readOnly === true
  const isMigrating = options.migrate && !isReadOnly
  return Layer.scopedContext(
    Effect.gen(function* () {
      const database = yield* openDatabase(Sqlite, path, {
        prepareSchema: (connection) =>
          Effect.zipRight(
            migrate(connection, path, { ...options, migrate: isMigrating }),
            isMigrating ? makeAppTables(connection, options.appTables ?? []) : Effect.void,
          ),
        writesOn: sqliteWrites,
        // Without migration, a missing store is not created, so no file is left behind.
        mustExist: options.mustExist === true || isReadOnly || !(isMigrating || existsSync(path)),
        isReadOnly,
        serviceLockMillis: options.serviceLockMillis,
        writerThread,
        threadFile: new URL("./writer-thread.js", import.meta.url),
        journalMode,
        onGroupCommit: options.onGroupCommit,
        warn: options.onWarning ?? ((sentence) => process.emitWarning(sentence)),
        onReplaced: options.onReplaced,
      })
      const probe = database.connection.prepare("SELECT 1 FROM pets LIMIT 1")
      const isWatched = path !== ":memory:" && journalMode === "WAL" && options.hasReaders === true
      const prove = (at: () => number) => Effect.suspend(() => database.prove({ name: "proveWritable", args: [at()] }))
      const keepsWrites = isWatched
        ? yield* watchWrites(
            prove(Date.now),
            prove(() => 0),
          )
        : Effect.void
      const { freshness, raise } = sqlitePetFreshness(database)
      if (!isReadOnly && options.leavesUpkeep !== true) yield* Effect.forkScoped(compareWords(database, raise))
      const tables = sqliteTables(database)
      const repositories = repositoriesOf({
        pets: sqlitePetRepository(database),
        orders: sqliteOrderRepository(database),
        inventory: sqliteInventoryRepository(database),
        categories: sqliteCategoryRepository(tables, database),
        changes: sqliteChangeRepository(database),
        ...sqlRepositories(tables),
        appDatabase: sqliteAppDatabase(tables),
        readiness: {
          check: Effect.zipRight(
            // If the name was just lost, the next read reports this.
            database.run(() => void database.name.look()).pipe(Effect.zipRight(database.run(() => void probe.get()))),
            path === ":memory:" ? Effect.void : refuseFullDisk(path),
          ).pipe(Effect.zipRight(database.intact), Effect.zipRight(keepsWrites)),
        },
      })
      return Context.add(repositories, PetFreshness, freshness)
    }),
  )
}
