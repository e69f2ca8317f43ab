/** Every repository on one SQLite file. */

import { Effect, Layer } from "effect"
import { type Repositories, repositoriesOf } from "../repositories.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import type { StorageOptions } from "../storage-options.js"
import { sqliteCredentialRepository } from "./credential-repository.js"
import { sqliteDeploymentRepository } from "./deployment-repository.js"
import { sqliteDeprecatedCallRepository } from "./deprecated-call-repository.js"
import { type DatabaseSyncClass, type JournalMode, openDatabase } from "./engine/database.js"
import { refuseFullDisk } from "./engine/free-space.js"
import { refuseUnwritable } from "./engine/writable.js"
import type { WriterThread } from "./engine/writer.js"
import { makeGuestTables, sqliteGuestDatabase } from "./guest.js"
import { sqliteInventoryRepository } from "./inventory-repository.js"
import { migrate, schemaVersion } from "./migrations.js"
import { sqliteOrderRepository } from "./order-repository.js"
import { sqlitePetRepository } from "./pet-repository.js"
import { sqliteWrites } from "./writes.js"

/**
 * Opens a SQLite store.
 *
 * @param Sqlite  the engine: `DatabaseSync` of `node:sqlite`, or a class with the same API
 * @param path    a file, made if it is missing, or `:memory:`
 * @param writerThread  when to write on a thread of its own, which opens the file with `node:sqlite`
 * @param journalMode  how commits become atomic and durable
 */
export const sqliteStorage = (
  Sqlite: DatabaseSyncClass,
  path: string,
  options: StorageOptions,
  writerThread: WriterThread = "never",
  journalMode: JournalMode = "WAL",
): Layer.Layer<Repositories, StorageNotOpened> => {
  const isReadOnly = options.readOnly === true
  const isMigrating = options.migrate && !isReadOnly
  return Layer.scopedContext(
    Effect.map(
      openDatabase(Sqlite, path, {
        prepareSchema: (connection) =>
          Effect.zipRight(
            migrate(connection, path, { ...options, migrate: isMigrating }),
            isMigrating ? makeGuestTables(connection, options.guests ?? []) : Effect.void,
          ),
        writesOn: sqliteWrites,
        schemaVersion,
        mustExist: options.mustExist === true || isReadOnly,
        isReadOnly,
        writerThread,
        threadFile: new URL("./writer-thread.js", import.meta.url),
        hasSiblings: options.hasSiblings === true && journalMode === "WAL",
        journalMode,
        onGroupCommit: options.onGroupCommit,
      }),
      (database) => {
        const probe = database.connection.prepare("SELECT 1 FROM pets LIMIT 1")
        return repositoriesOf({
          pets: sqlitePetRepository(database),
          orders: sqliteOrderRepository(database),
          inventory: sqliteInventoryRepository(database),
          credentials: sqliteCredentialRepository(database),
          deployment: sqliteDeploymentRepository(database),
          deprecatedCalls: sqliteDeprecatedCallRepository(database),
          guests: sqliteGuestDatabase(database),
          readiness: {
            check: Effect.zipRight(
              database.run(() => void probe.get()),
              path === ":memory:" ? Effect.void : Effect.zipRight(refuseUnwritable(path), refuseFullDisk(path)),
            ),
          },
        })
      },
    ),
  )
}
