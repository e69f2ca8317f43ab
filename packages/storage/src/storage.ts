/** From a database URL to one layer with every repository. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type DatabaseUrl, databaseUrlForms, decodeDatabaseUrl } from "./database-url.js"
import { memoryStorage } from "./memory/storage.js"
import type { Repositories } from "./repositories.js"
import { StorageNotOpened } from "./storage-not-opened.js"
import type { StorageOptions } from "./storage-options.js"

/**
 * Opens a store for as long as the layer is used. Fails with `StorageNotOpened`
 * if that is impossible, if the schema of the store is newer than this program, or if a text is not a database URL.
 *
 * @param url  such as `sqlite:./data/petstore.db`
 */
export const storage = (url: string | DatabaseUrl, options: StorageOptions): Layer.Layer<Repositories, StorageNotOpened> => {
  if (typeof url === "string") {
    return Option.match(decodeDatabaseUrl(url), {
      onNone: () => Layer.fail(new StorageNotOpened({ reason: `Not a database URL: expected ${databaseUrlForms}.` })),
      onSome: (decoded) => storage(decoded, options),
    })
  }
  switch (url.adapter) {
    case "memory":
      return memoryStorage
    case "sqljs":
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(async () => ({ ...(await import("@petstore/sqljs")), ...(await import("./sqlite/storage.js")) })),
          // Several processes, such as the commands beside a server, may open one file with a rollback journal only.
          ({ DatabaseSync, sqliteStorage }) => sqliteStorage(DatabaseSync, url.path, options, "never", "DELETE"),
        ),
      )
    case "sqlite":
      // Loaded when it is chosen: the other adapters also run where there is no node:sqlite.
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(async () => ({ ...(await import("node:sqlite")), ...(await import("./sqlite/storage.js")) })),
          ({ DatabaseSync, sqliteStorage }) =>
            sqliteStorage(DatabaseSync, url.path, options, options.hasReaders === true ? "when-slow" : "never"),
        ),
      )
    case "postgres":
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("./postgres/storage.js")),
          ({ postgresStorage }) => postgresStorage(url.url, options),
        ),
      )
  }
}
