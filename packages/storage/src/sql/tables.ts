/** Tables that SQLite and PostgreSQL share repositories for. The SQL for pets, orders and the inventory is too different. */
import type { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { AppValue } from "../app-table.js"
import { optionOfRow } from "../rows.js"

/** Rows as arrays. A 64-bit integer is a `bigint`. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A statement with `?` parameters, and its values in order. */
export type BoundStatement = readonly [sql: string, values: ReadonlyArray<AppValue>]

export interface Tables {
  /** The SQL dialect, for the few differences. */
  readonly dialect: "sqlite" | "postgres"

  readonly read: (sql: string, values?: ReadonlyArray<AppValue>) => Effect.Effect<Rows, StorageUnavailable>

  /** Runs one statement. When the effect succeeds, the change is committed and on disk. The statement is never sent twice. */
  readonly write: (sql: string, values: ReadonlyArray<AppValue>) => Effect.Effect<Rows, StorageUnavailable>

  /** Runs a statement and, if it returns a row, others in the same transaction. Returns the first statement's rows. */
  readonly writeAll: (first: BoundStatement, ...others: ReadonlyArray<BoundStatement>) => Effect.Effect<Rows, StorageUnavailable>
}

export const oneOf = <A>(rows: Effect.Effect<Rows, StorageUnavailable>, of: (row: unknown) => A) =>
  Effect.map(rows, ([row]) => optionOfRow(row, of))

export const allOf = <A>(rows: Effect.Effect<Rows, StorageUnavailable>, of: (row: unknown) => A) =>
  Effect.map(rows, (found) => found.map((row) => of(row)))
