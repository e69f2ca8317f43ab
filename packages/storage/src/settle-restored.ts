/** Apart from the PostgreSQL adapter, which is loaded only if it is needed. */
import * as Effect from "effect/Effect"
import { BackupFailed } from "./backup-failed.js"
import type { DatabaseUrl } from "./database-url.js"
import type { RestoredStore, RestoredStoreOptions } from "./postgres/restored-store.js"
import type { StorageNotOpened } from "./storage-not-opened.js"

export type { ListedKey } from "./postgres/restored-store.js"

/** Settles a PostgreSQL store that `pg_restore` has filled: no identifier is given twice, and no revoked key comes back. */
export const settleRestoredStore = (
  database: DatabaseUrl,
  options: RestoredStoreOptions,
): Effect.Effect<RestoredStore, BackupFailed | StorageNotOpened> =>
  database.adapter === "postgres"
    ? Effect.flatMap(
        Effect.promise(() => import("./postgres/restored-store.js")),
        ({ settleRestoredPostgres }) => settleRestoredPostgres(database.url, options),
      )
    : new BackupFailed({ reason: "petstore restore settles a SQLite store itself. This is for PostgreSQL, after pg_restore." })
