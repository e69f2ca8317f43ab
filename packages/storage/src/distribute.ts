/** Distributes a store over several machines, for the adapter that supports it. */
import * as Effect from "effect/Effect"
import type { DatabaseUrl } from "./database-url.js"
import type { Distribution } from "./distribution.js"
import { StorageNotOpened } from "./storage-not-opened.js"

/**
 * Brings the schema of a store up to date, and distributes the store with its rows over the workers of a Citus cluster. It may
 * run again. Fails with `StorageNotOpened` for other stores, and without Citus.
 *
 * @param shards  parts of each large table
 */
export const distributeStore = (
  url: DatabaseUrl,
  options: { readonly shards: number },
): Effect.Effect<Distribution, StorageNotOpened> =>
  url.adapter === "postgres"
    ? Effect.flatMap(
        Effect.promise(() => import("./postgres/distribute.js")),
        ({ distributePostgres }) => distributePostgres(url.url, options),
      )
    : new StorageNotOpened({ reason: "Only a PostgreSQL store can be distributed." })
