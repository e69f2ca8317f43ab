/**
 * Tables whose SQL is the same on SQLite and PostgreSQL: a repository on them is written once. Not for pets, orders and the
 * inventory, whose SQL differs.
 */
import type { StorageUnavailable } from "@petstore/core"
import type * as Effect from "effect/Effect"
import type { AppValue } from "../app-table.js"

/** Rows as arrays: a 64-bit integer is a `bigint`. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A statement with `?` as parameters, and its values in their order. */
export type BoundStatement = readonly [sql: string, values: ReadonlyArray<AppValue>]

export interface Tables {
  /** For the few differences in SQL. */
  readonly dialect: "sqlite" | "postgres"

  readonly read: (sql: string, values?: ReadonlyArray<AppValue>) => Effect.Effect<Rows, StorageUnavailable>

  /** Runs one statement. When it succeeds, the change is committed and on disk. It is never sent twice. */
  readonly write: (sql: string, values: ReadonlyArray<AppValue>) => Effect.Effect<Rows, StorageUnavailable>

  /** Runs a statement and, if it returns a row, a second one, in one transaction. Returns the rows of the first. */
  readonly writeBoth: (first: BoundStatement, second: BoundStatement) => Effect.Effect<Rows, StorageUnavailable>
}
