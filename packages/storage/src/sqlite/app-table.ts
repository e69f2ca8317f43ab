import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { AppDatabase, type AppTable } from "../app-table.js"
import type { Tables } from "../sql/tables.js"

export const makeAppTables = (connection: DatabaseSync, tables: ReadonlyArray<AppTable>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const { create } of tables) connection.exec(create.sqlite)
  })

export const sqliteAppDatabase = ({ read, write }: Tables) =>
  AppDatabase.of({ dialect: "sqlite", read, write: (sql, values) => Effect.asVoid(write(sql, values)) })
