import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { type DatabaseUrl, decodeDatabaseUrl } from "./database-url.js"
import { memoryStorage } from "./memory/storage.js"
import { type Repositories, spannedRepositories } from "./repositories.js"
import { provideTemporaryFolder } from "./sqlite/engine/room.js"
import { sqljs } from "./sqljs.js"
import { StorageNotOpened } from "./storage-not-opened.js"
import type { ServiceStorageOptions, StorageOptions } from "./storage-options.js"

/**
 * Opens a store with every repository for as long as the layer is in use. Fails with `StorageNotOpened` if the store cannot be
 * opened, if its schema is newer than this program supports, or if the text is not a database URL.
 *
 * @param url such as `sqlite:./data/petstore.db`
 */
export const storage = (url: string | DatabaseUrl, options: StorageOptions): Layer.Layer<Repositories, StorageNotOpened> => {
  // JavaScript callers can omit the option.
  if (typeof options?.migrate !== "boolean") return Layer.fail(new StorageNotOpened({ reason: migrateIsMissing }))
  return Either.match(typeof url === "string" ? decodeDatabaseUrl(url) : Either.right(url), {
    onLeft: Layer.fail,
    onRight: (database) => spannedRepositories(serviceStorage(database, options)),
  })
}

const migrateIsMissing =
  "The option migrate is missing: { migrate: true } creates a missing store and brings an older one up to date, { migrate: false } refuses both."

/** Opens a store with the service's options. */
export const serviceStorage = (url: DatabaseUrl, options: ServiceStorageOptions): Layer.Layer<Repositories, StorageNotOpened> =>
  url.adapter === "memory" ? memoryStorage(options.appTables ?? []) : Layer.unwrapEffect(loadedStorage(url, options))

/** Loads an adapter and its engine on demand, because the other adapters also run without node:sqlite. */
const loadedStorage = (url: Exclude<DatabaseUrl, { adapter: "memory" }>, options: ServiceStorageOptions) =>
  Effect.gen(function* () {
    if (url.adapter === "postgres") {
      return (yield* Effect.promise(() => import("./postgres/storage.js"))).postgresStorage(url.url, options)
    }
    const { sqliteStorage } = yield* Effect.promise(() => import("./sqlite/storage.js"))
    if (url.adapter === "sqlite") {
      provideTemporaryFolder(url.path)
      const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"))
      return sqliteStorage(DatabaseSync, url.path, options, options.hasReaders === true ? "when-slow" : "never")
    }
    const { DatabaseSync } = yield* sqljs
    // With sql.js, several processes, such as a server and a command, can share a file only with a rollback journal.
    return sqliteStorage(DatabaseSync, url.path, options, "never", "DELETE")
  })
