/** Tables of an app in a SQLite store. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { GuestDatabase, type GuestTable, type GuestValue } from "../guest.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"

/** Makes the tables that are not there. */
export const makeGuestTables = (connection: DatabaseSync, guests: ReadonlyArray<GuestTable>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const { create } of guests) connection.exec(create.sqlite)
  })

/** The statements of an app among the writes of the store: each is prepared once. */
export const guestWrites = (connection: DatabaseSync) => {
  const prepared = new Map<string, ReturnType<typeof prepareExact>>()
  return {
    writeGuest: (sql: string, values: ReadonlyArray<GuestValue>): void => {
      const statement = prepared.get(sql) ?? prepareExact(connection, sql)
      prepared.set(sql, statement)
      statement.run(...values)
    },
  }
}

export const sqliteGuestDatabase = ({ writes, prepare, run }: Database<ReturnType<typeof guestWrites>>) =>
  GuestDatabase.of({
    dialect: "sqlite",
    write: (sql, values) => writes.writeGuest(sql, values),
    // Safe: the rows of a statement prepared so are arrays.
    read: (sql, values) => run(() => prepare(sql).all(...values) as unknown as ReadonlyArray<ReadonlyArray<unknown>>),
  })
