import * as Effect from "effect/Effect"
import type { DatabaseUrl } from "./database-url.js"
import type { DistributeOptions, Distribution } from "./distribution.js"
import { StorageNotOpened } from "./storage-not-opened.js"

/**
 * Brings a store's schema up to date, and distributes the store with its rows across the workers of a Citus cluster. Running the
 * function again is safe. Fails with `StorageNotOpened` for other kinds of store, and for a database without Citus.
 *
 * @param shards number of shards per large table
 */
export const distributeStore = (url: DatabaseUrl, options: DistributeOptions): Effect.Effect<Distribution, StorageNotOpened> =>
  url.adapter === "postgres"
    ? Effect.flatMap(
        Effect.promise(() => import("./postgres/distribute.js")),
        ({ distributePostgres }) => distributePostgres(url.url, options),
      )
    : new StorageNotOpened({ reason: "Only a PostgreSQL store can be distributed." })
