/** An app can keep its own tables in the store's database. */
import { DatabaseSync } from "node:sqlite"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Effect, Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { AppDatabase, type AppTable } from "../src/app-table.js"
import { backupStore } from "../src/backup.js"
import type { DatabaseUrl } from "../src/database-url.js"
import { appTables } from "../src/postgres/app-table.js"
import { openAlone } from "../src/postgres/engine/database.js"
import { storage } from "../src/storage.js"
import { sql } from "./postgres-store.js"
import { byHand, newFile, otherConnection, withFile } from "./sqlite-file.js"

const notes: AppTable = {
  name: "notes",
  create: {
    sqlite: "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT",
    postgres: "CREATE TABLE IF NOT EXISTS notes (id int8 PRIMARY KEY, note text NOT NULL)",
  },
}

const on = <A, E>(url: DatabaseUrl, work: Effect.Effect<A, E, AppDatabase>) =>
  Effect.runPromise(Effect.provide(work, storage(url, { migrate: true, appTables: [notes] })))

const insert = {
  sqlite: "INSERT INTO notes (id, note) VALUES (?, ?)",
  postgres: "INSERT INTO notes (id, note) VALUES ($1, $2)",
}

const keep = (id: bigint, note: string) => Effect.flatMap(AppDatabase, ({ dialect, write }) => write(insert[dialect], [id, note]))

const kept = Effect.flatMap(AppDatabase, ({ read }) => read("SELECT CAST(id AS text), note FROM notes ORDER BY id", []))

const largest = 2n ** 63n - 1n

describe.each([
  ["SQLite", (path: string): DatabaseUrl => ({ adapter: "sqlite", path })],
  ["sql.js", (path: string): DatabaseUrl => ({ adapter: "sqljs", path })],
])("an app's table on %s", (_name, urlOf) => {
  withFile("is created next to the store's tables, stores rows, and is included in a backup", (path) =>
    Effect.gen(function* () {
      const [url, copy] = [urlOf(path), yield* newFile]
      yield* Effect.promise(() => on(url, keep(largest, "one 🐕")))
      expect(yield* Effect.promise(() => on(url, Effect.zipRight(keep(1n, "two"), kept)))).toEqual([
        ["1", "two"],
        [String(largest), "one 🐕"],
      ])
      yield* backupStore(url, copy)
      const backup = yield* otherConnection(copy, DatabaseSync)
      expect(backup.prepare("SELECT count(*) AS notes FROM notes").get()).toEqual({ notes: 2 })
    }),
  )
})

describe("an app's table", () => {
  withFile("is adopted with its rows if it already exists", (path) =>
    Effect.gen(function* () {
      const url: DatabaseUrl = { adapter: "sqlite", path }
      yield* Effect.promise(() => Effect.runPromise(Effect.provide(Effect.void, storage(url, { migrate: true }))))
      yield* byHand(
        path,
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT; INSERT INTO notes VALUES (1, 'old')",
      )
      expect(yield* Effect.promise(() => on(url, Effect.zipRight(keep(2n, "new"), kept)))).toEqual([
        ["1", "old"],
        ["2", "new"],
      ])
    }),
  )

  it("does not affect the other writes in a transaction if a statement on the table fails", () =>
    on(
      { adapter: "sqlite", path: ":memory:" },
      Effect.gen(function* () {
        const all = [
          keep(1n, "one"),
          Effect.flatMap(AppDatabase, ({ write }) => write("INSERT INTO notes VALUES (1, 'again')", [])),
          keep(2n, "two"),
        ]
        const outcomes = yield* Effect.all(
          all.map((one) => Effect.exit(one)),
          { concurrency: "unbounded" },
        )
        expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success", "Failure", "Success"])
        expect(yield* kept).toEqual([
          ["1", "one"],
          ["2", "two"],
        ])
      }),
    ))

  it("stores rows in an in-memory store if the store was opened with the table", async () => {
    expect(await on({ adapter: "memory" }, Effect.zipRight(keep(largest, "one 🐕"), kept))).toEqual([[String(largest), "one 🐕"]])
    const refused = Effect.either(Effect.provide(keep(1n, "one"), storage("memory:", { migrate: true })))
    expect(Option.getOrUndefined(Either.getLeft(await Effect.runPromise(refused)))).toMatchObject({ _tag: "StorageUnavailable" })
  })
})

describe("an app's table on PostgreSQL", () => {
  it("is adopted with its rows only once, and is listed for programs without the app", async () => {
    const url = await newPostgresDatabase()
    await sql(url, "CREATE TABLE notes (id int8 PRIMARY KEY, note text NOT NULL)")
    await sql(url, "INSERT INTO notes VALUES (1, 'old')")
    const both = [
      ["1", "old"],
      [String(largest), "new"],
    ]
    expect(await on({ adapter: "postgres", url }, Effect.zipRight(keep(largest, "new"), kept))).toEqual(both)
    expect(await on({ adapter: "postgres", url }, kept)).toEqual(both)
    const found = openAlone({ url, applicationName: "test", statementTimeoutMillis: 5_000 }).pipe(
      Effect.flatMap(appTables),
      Effect.scoped,
    )
    expect(await Effect.runPromise(found)).toEqual([["notes", "id"]])
  })
})
