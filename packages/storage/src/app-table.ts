/** An app's own tables in the database of the store, beside those of the inventory: see `apps/quickstart`. */
import type { StorageUnavailable } from "@petstore/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * A table of an app. Opening a store with `migrate` creates it, or adopts an existing one of that name with its rows. Backups
 * contain it, and `petstore migrate --distribute` distributes it.
 */
export interface AppTable {
  /** A plain name in lower case, other than the tables of the store. */
  readonly name: string
  /** `CREATE TABLE IF NOT EXISTS`, for each database. */
  readonly create: { readonly sqlite: string; readonly postgres: string }
  /** The column that says on which node of a Citus cluster a row is, `id` if absent. It is part of the primary key. */
  readonly distributionColumn?: string
}

/** A value of a column. */
export type AppValue = string | number | bigint | null

/** The database of a store, for statements on tables of the app. Only the repositories use the tables of the store. */
export class AppDatabase extends Context.Tag("@petstore/storage/AppDatabase")<
  AppDatabase,
  {
    /** The SQL dialect: parameters are `?` in SQLite, which a store in memory uses too, and `$1` in PostgreSQL. */
    readonly dialect: "sqlite" | "postgres"

    /** Runs one statement that changes something. When it succeeds, the change is committed and on disk. It is never sent twice. */
    readonly write: (sql: string, values: ReadonlyArray<AppValue>) => Effect.Effect<void, StorageUnavailable>

    /** Runs a query. A row is an array; an integer of 64 bits is a `bigint` in SQLite and a string in PostgreSQL. */
    readonly read: (
      sql: string,
      values: ReadonlyArray<AppValue>,
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, StorageUnavailable>
  }
>() {}
