/**
 * A start checks the schema version of a SQLite file. Several processes can migrate the file at the same time without loss.
 */
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { CredentialRepository, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { describe, expect } from "vitest"
import type { Repositories } from "../../src/repositories.js"
import { migrate, migrations } from "../../src/sqlite/migrations.js"
import { sqliteStorage } from "../../src/sqlite/storage.js"
import { storage } from "../../src/storage.js"
import { StorageNotOpened } from "../../src/storage-not-opened.js"
import { byHand, newFile, observedSqlite, otherConnection, pragma, storeIn, withFile } from "../sqlite-file.js"

/** Opens the store, uses it and closes it. */
const opening = <A, E>(path: string, use: Effect.Effect<A, E, Repositories>) => Effect.provide(use, storeIn(path))

const everyPet = Effect.flatMap(PetRepository, (pets) => pets.list({ status: Option.none(), after: Option.none(), limit: 1000 }))

const insertNamed = (...names: ReadonlyArray<string>) =>
  Effect.flatMap(PetRepository, (pets) => Effect.forEach(names, (name) => pets.insert({ name, categoryId: 1n })))

const version = (path: string) =>
  Effect.scoped(Effect.map(otherConnection(path), (connection) => pragma(connection, "user_version")))

const reasonOf = (path: string, migrate: boolean) =>
  Effect.map(Effect.flip(Effect.provide(everyPet, storage({ adapter: "sqlite", path }, { migrate }))), (failure) =>
    failure instanceof StorageNotOpened ? failure.reason : failure,
  )

/** The schema of a store from before 1.0.0, as far as this program looks at it. */
const beforeFirstRelease = `CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT,
    free INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO pets (name, category_id) VALUES ('Ada', 1);
  PRAGMA user_version = 19;`

/** A step that a later release could have. */
const secondStep = "ALTER TABLE pets ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'"

/** Migrates a file as a release with this second step does. */
const taking = (path: string, step: string) =>
  Effect.scoped(
    Effect.flatMap(otherConnection(path), (connection) => migrate(connection, path, { migrate: true }, [...migrations, step])),
  )

const colours = (path: string) =>
  Effect.scoped(
    Effect.map(otherConnection(path), (connection) => connection.prepare("SELECT name, colour FROM pets ORDER BY id").all()),
  )

/** An engine that another process overtakes: the other process migrates the file right before this process takes the lock. */
const overtakenOn = (path: string, next = "") => {
  let isOvertaken = false
  class Overtaken extends DatabaseSync {
    override exec(sql: string) {
      if (sql === "BEGIN IMMEDIATE" && !isOvertaken) {
        isOvertaken = true
        const other = new DatabaseSync(path)
        Effect.runSync(migrate(other, path, { migrate: true }))
        other.exec(next)
        other.close()
      }
      super.exec(sql)
    }
  }
  return { Overtaken, overtaken: () => isOvertaken }
}

describe("a SQLite file", () => {
  withFile("keeps all its data when it is closed and opened again", (path) =>
    Effect.gen(function* () {
      const account = { id: "acc_1", name: "shop", createdAt: new Date(1) }
      const first = yield* opening(
        path,
        Effect.zipLeft(
          insertNamed("Ada", "Bello"),
          Effect.flatMap(CredentialRepository, (credentials) => credentials.insertAccount(account)),
        ),
      )
      const second = yield* opening(path, insertNamed("Coco"))
      const [pets, found] = yield* opening(
        path,
        Effect.all([everyPet, Effect.flatMap(CredentialRepository, (credentials) => credentials.findAccount("shop"))]),
      )
      expect(pets).toStrictEqual([...first, ...second])
      expect(found).toStrictEqual(Option.some(account))
    }),
  )

  withFile("never reassigns an identifier, even if the identifier's pet was deleted manually", (path) =>
    Effect.gen(function* () {
      const before = yield* opening(path, insertNamed("Ada", "Bello", "Coco"))
      yield* byHand(path, "DELETE FROM pets")
      const after = yield* opening(path, insertNamed("Dodo"))
      expect(before.map(({ id }) => id)).not.toContain(after[0]?.id)
    }),
  )

  withFile("uses a log that every commit syncs to disk", (path) =>
    Effect.gen(function* () {
      const { Sqlite, opened } = observedSqlite()
      const settings = Effect.sync(() => ["journal_mode", "synchronous", "foreign_keys"].map((name) => pragma(opened[0], name)))
      // 2 is FULL: a commit in a write-ahead log survives a power failure (https://sqlite.org/pragma.html#pragma_synchronous).
      expect(
        yield* Effect.provide(Effect.zipRight(everyPet, settings), sqliteStorage(Sqlite, path, { migrate: true })),
      ).toStrictEqual(["wal", 2, 1])
    }),
  )

  withFile("from a newer program is refused, and left unchanged", (path) =>
    Effect.gen(function* () {
      yield* opening(path, insertNamed("Ada"))
      const known = yield* version(path)
      yield* byHand(path, "PRAGMA user_version = 999")
      for (const migrate of [true, false]) {
        expect(yield* reasonOf(path, migrate)).toBe(
          `The store has schema version 999, which is newer than the latest one that this program supports (${known}). Use a newer release.`,
        )
      }
      expect(yield* version(path)).toBe(999)
      yield* byHand(path, `PRAGMA user_version = ${known}`)
      expect(yield* opening(path, everyPet)).toHaveLength(1)
    }),
  )

  withFile("that does not exist is refused if migrations are off, and no file is left behind", (path) =>
    Effect.gen(function* () {
      expect(yield* reasonOf(path, false)).toMatch(/^There is no store at .*: the folder .* has no file petstore\.db\.$/)
      expect(readdirSync(dirname(path))).toStrictEqual([])
    }),
  )

  withFile("with schema version 0 is refused if migrations are off", (path) =>
    Effect.gen(function* () {
      yield* byHand(path, "CREATE TABLE other (id INTEGER)")
      expect(yield* reasonOf(path, false)).toMatch(/^The store has schema version 0, but this program needs [0-9]+\.$/)
      expect(yield* version(path)).toBe(0)
      yield* opening(path, insertNamed("Ada"))
      expect(yield* Effect.provide(everyPet, storage({ adapter: "sqlite", path }, { migrate: false }))).toHaveLength(1)
    }),
  )

  withFile("from before 1.0.0 is refused with how to take its pets along, and left unchanged", (path) =>
    Effect.gen(function* () {
      yield* byHand(path, beforeFirstRelease)
      for (const migrate of [true, false]) {
        expect(yield* reasonOf(path, migrate)).toBe(
          "The store is from before 1.0.0, and this release cannot open it. Export the pets with the program that made it (petstore export pets.ndjson), and import them into a new store with this one (petstore import pets.ndjson). The pets get new identifiers if there are gaps between theirs. Orders, accounts and API keys stay behind.",
        )
      }
      expect(yield* version(path)).toBe(19)
      const tables = Effect.map(otherConnection(path), (connection) =>
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all(),
      )
      expect(yield* Effect.scoped(tables)).toEqual([{ name: "pets" }])
    }),
  )

  withFile("is created in one transaction, and takes a second step with its pets beside a running service", (path) =>
    Effect.gen(function* () {
      const begun = { count: 0 }
      class Counting extends DatabaseSync {
        override exec(sql: string) {
          if (sql === "BEGIN IMMEDIATE") begun.count += 1
          super.exec(sql)
        }
      }
      yield* Effect.provide(everyPet, sqliteStorage(Counting, ":memory:", { migrate: true }))
      expect(begun.count).toBe(1)
      const beside = Effect.gen(function* () {
        yield* insertNamed("Ada")
        yield* taking(path, secondStep)
        yield* insertNamed("Bello")
      })
      yield* opening(path, beside)
      expect(yield* colours(path)).toEqual([
        { name: "Ada", colour: "grey" },
        { name: "Bello", colour: "grey" },
      ])
      expect(yield* version(path)).toBe(101)
      yield* taking(path, secondStep)
      expect(yield* reasonOf(path, true)).toContain("schema version 101, which is newer than the latest one")
    }),
  )

  withFile("keeps its schema and its pets if a second step fails, and takes the step again", (path) =>
    Effect.gen(function* () {
      yield* opening(path, insertNamed("Ada"))
      expect(yield* Effect.exit(taking(path, `${secondStep}; INSERT INTO missing VALUES (1)`))).toMatchObject({ _tag: "Failure" })
      expect(yield* version(path)).toBe(100)
      expect(yield* opening(path, everyPet)).toHaveLength(1)
      yield* taking(path, secondStep)
      expect(yield* colours(path)).toEqual([{ name: "Ada", colour: "grey" }])
    }),
  )

  withFile("is not migrated twice if another process migrates it before this process takes the lock", (path) =>
    Effect.gen(function* () {
      const { Overtaken, overtaken } = overtakenOn(path)
      const known = yield* Effect.scoped(
        Effect.flatMap(newFile, (fresh) => Effect.zipRight(opening(fresh, Effect.void), version(fresh))),
      )
      expect(yield* Effect.provide(insertNamed("Ada"), sqliteStorage(Overtaken, path, { migrate: true }))).toHaveLength(1)
      expect(overtaken()).toBe(true)
      expect(yield* version(path)).toBe(known)
    }),
  )

  withFile("is refused if a newer program migrates it before this process takes the lock", (path) =>
    Effect.gen(function* () {
      // The newer program's next step, which this program does not have.
      const next = "ALTER TABLE pets ADD COLUMN colour TEXT; PRAGMA user_version = 999"
      const { Overtaken, overtaken } = overtakenOn(path, next)
      const failure = yield* Effect.flip(Effect.provide(everyPet, sqliteStorage(Overtaken, path, { migrate: true })))
      expect(overtaken()).toBe(true)
      expect(failure).toMatchObject({ reason: expect.stringContaining("schema version 999, which is newer") })
      expect(yield* version(path)).toBe(999)
    }),
  )

  withFile("can be created and used by four processes at once, and keeps all their pets", (path) =>
    Effect.gen(function* () {
      // A separate program on the built package, because the sources would need the test runner.
      const program = `
        import { PetRepository } from "@petstore/core"
        import { storage } from "@petstore/storage"
        import { Effect } from "effect"
        const insertFive = Effect.flatMap(PetRepository, (pets) =>
          Effect.forEach([1, 2, 3, 4, 5], (n) => pets.insert({ name: \`\${process.pid} \${n}\`, categoryId: 1n })))
        const inserted = await Effect.runPromise(
          Effect.provide(insertFive, storage({ adapter: "sqlite", path: process.env.FILE }, { migrate: true })))
        process.stdout.write(inserted.map(({ id }) => id).join(" "))`
      const run = promisify(execFile)
      const outputs = yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 4 }, () =>
            run(process.execPath, ["--input-type=module", "--eval", program], { cwd: import.meta.dirname, env: { FILE: path } }),
          ),
        ),
      )
      const ids = outputs.flatMap(({ stdout }) => stdout.split(" ").map(BigInt))
      expect(new Set(ids).size).toBe(20)
      expect((yield* opening(path, everyPet)).map(({ id }) => id)).toStrictEqual(
        ids.toSorted((one, other) => Number(one - other)),
      )
    }),
  )
})
