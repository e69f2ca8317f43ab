/**
 * Tables whose SQL is the same on SQLite and PostgreSQL: a repository on them is written once. Pets, orders and the
 * inventory are not among them, since each database is made to do their work in its own way.
 */
import type { StorageUnavailable } from "@petstore/core"
import type * as Effect from "effect/Effect"
import type { AppValue } from "../app-table.js"

/** Rows as arrays: an integer of 64 bits is a `bigint`. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A statement with its values, in the order of its parameters, which are `?`. */
export type BoundStatement = readonly [sql: string, values: ReadonlyArray<AppValue>]

export interface Tables {
  /** For the few words in which the two differ. */
  readonly dialect: "sqlite" | "postgres"

  readonly read: (sql: string, values?: ReadonlyArray<AppValue>) => Effect.Effect<Rows, StorageUnavailable>

  /** Runs one statement. When it succeeds, the change is committed and on disk. It is never sent twice. */
  readonly write: (sql: string, values: ReadonlyArray<AppValue>) => Effect.Effect<Rows, StorageUnavailable>

  /** Runs a statement and, if it answers a row, a second one: both or none. Answers the rows of the first. */
  readonly writeBoth: (first: BoundStatement, second: BoundStatement) => Effect.Effect<Rows, StorageUnavailable>
}
