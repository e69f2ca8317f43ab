/** Stores that several machines share, for the adapter that can spread its rows over them. */
import * as Effect from "effect/Effect"
import type { DatabaseUrl } from "./database-url.js"
import type { Distribution } from "./distribution.js"
import { StorageNotOpened } from "./storage-not-opened.js"

/**
 * Spreads a store over the workers of a Citus cluster, with what is in it; brings its schema up to date before. It
 * may run again. Fails with `StorageNotOpened` where that is impossible: on other stores, and without Citus.
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
