/** An app's own tables in the store's database, next to the store's tables. See `apps/quickstart` for an example. */
import type { StorageUnavailable } from "@petstore/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * An app's table. Opening a store with `migrate` creates the table, or adopts an existing table of that name with its rows.
 * Backups contain the table, and `petstore migrate --distribute` distributes it.
 */
export interface AppTable {
  /** A plain lower-case name that differs from the names of the store's own tables. */
  readonly name: string
  /** The `CREATE TABLE IF NOT EXISTS` statement for each database. */
  readonly create: { readonly sqlite: string; readonly postgres: string }
  /** The column that determines which Citus node stores a row; `id` by default. It must be part of the primary key. */
  readonly distributionColumn?: string | undefined
}

/** A column value. */
export type AppValue = string | number | bigint | null

/** The store's database, for statements on the app's tables. Apps must not access the store's own tables. */
export class AppDatabase extends Context.Tag("@petstore/storage/AppDatabase")<
  AppDatabase,
  {
    /** The SQL dialect. Parameters are `?` in SQLite, which in-memory stores also use, and `$1` in PostgreSQL. */
    readonly dialect: "sqlite" | "postgres"

    /** Runs one statement, and never sends it twice. When the effect succeeds, the change is committed and on disk. */
    readonly write: (sql: string, values: ReadonlyArray<AppValue>) => Effect.Effect<void, StorageUnavailable>

    /** Runs a query. A row is an array. A 64-bit integer is a `bigint`; in PostgreSQL, other numbers are strings. */
    readonly read: (
      sql: string,
      values: ReadonlyArray<AppValue>,
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, StorageUnavailable>
  }
>() {}
