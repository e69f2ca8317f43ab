/** Tables of an app in a SQLite store. */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { GuestDatabase, type GuestTable } from "../guest.js"
import type { Tables } from "../sql/tables.js"

export const makeGuestTables = (connection: DatabaseSync, guests: ReadonlyArray<GuestTable>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const { create } of guests) connection.exec(create.sqlite)
  })

export const sqliteGuestDatabase = ({ read, write }: Tables) =>
  GuestDatabase.of({ dialect: "sqlite", read, write: (sql, values) => Effect.asVoid(write(sql, values)) })
