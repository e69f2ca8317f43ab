/** An app's tables for an in-memory store. They are in a sql.js database that is closed with the store. */
import { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import { AppDatabase, type AppTable, type AppValue } from "../app-table.js"
import { statementsOn } from "../sqlite/engine/connection.js"
import { rowsBy } from "../sqlite/tables.js"
import { sqljs } from "../sqljs.js"

const refuse = () =>
  new StorageUnavailable({ cause: new Error("The store was opened without app tables. Pass appTables to storage().") })

/** Opens a database only if the app has tables. The database has no accounts, so it does not enforce references to them. */
export const memoryAppDatabase = (tables: ReadonlyArray<AppTable>) =>
  Effect.gen(function* () {
    if (tables.length === 0) return AppDatabase.of({ dialect: "sqlite", write: refuse, read: refuse })
    const { DatabaseSync } = yield* sqljs
    const open = () => new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
    const database = yield* Effect.acquireRelease(Effect.sync(open), (opened) => Effect.sync(() => opened.close()))
    for (const { create } of tables) database.exec(create.sqlite)
    const rowsOf = rowsBy(statementsOn(database).prepare)
    const read = (sql: string, values: ReadonlyArray<AppValue>) =>
      Effect.try({ try: () => rowsOf(sql, values), catch: (cause) => new StorageUnavailable({ cause }) })
    return AppDatabase.of({ dialect: "sqlite", write: (sql, values) => Effect.asVoid(read(sql, values)), read })
  })
