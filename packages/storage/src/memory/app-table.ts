/** An app's tables for an in-memory store. They are in a sql.js database that is closed with the store. */
import { StorageUnavailable } from "@petstore/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { AppDatabase, type AppTable, type AppValue } from "../app-table.js"
import type { Rows } from "../sql/tables.js"
import { statementsOn } from "../sqlite/engine/statements.js"

const refuse = () =>
  new StorageUnavailable({ cause: new Error("The store was opened without app tables. Pass appTables to storage().") })

/** Opens a database only if the app has tables. The database has no accounts, so it does not enforce references to them. */
export const memoryAppDatabase = (
  tables: ReadonlyArray<AppTable>,
): Effect.Effect<Context.Tag.Service<AppDatabase>, never, Scope.Scope> =>
  tables.length === 0
    ? Effect.succeed({ dialect: "sqlite", write: refuse, read: refuse })
    : Effect.gen(function* () {
        const { DatabaseSync } = yield* Effect.promise(() => import("@petstore/sqljs"))
        const open = () => new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
        const database = yield* Effect.acquireRelease(Effect.sync(open), (opened) => Effect.sync(() => opened.close()))
        for (const { create } of tables) database.exec(create.sqlite)
        const { prepare } = statementsOn(database)
        const run = (sql: string, values: ReadonlyArray<AppValue>) =>
          Effect.try({
            // Safe: statements that are prepared this way return rows as arrays.
            try: () => prepare(sql).all(...values) as unknown as Rows,
            catch: (cause) => new StorageUnavailable({ cause }),
          })
        return AppDatabase.of({ dialect: "sqlite", write: (sql, values) => Effect.asVoid(run(sql, values)), read: run })
      })
