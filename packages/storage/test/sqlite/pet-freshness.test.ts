/** Tests the revision of a SQLite file to which other processes also write. */
import { constants, DatabaseSync } from "node:sqlite"
import { PetRepository } from "@petstore/core"
import { DatabaseSync as SqljsDatabaseSync } from "@petstore/sqljs"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { petRevision } from "../../src/sqlite/pet-freshness.js"
import { storage } from "../../src/storage.js"
import { petFreshness } from "../pet-freshness.js"
import { onNewFile, otherConnection, withFile } from "../sqlite-file.js"

it.each([
  ["sqlite", DatabaseSync],
  ["sqljs", SqljsDatabaseSync],
] as const)(
  "the revision of a %s store grows when another connection adds a pet, but not when pets are read",
  (adapter, Sqlite) =>
    onNewFile((path) =>
      Effect.gen(function* () {
        const pets = yield* PetRepository
        const { revision } = yield* petFreshness
        const insertions = () => Option.getOrThrow(revision()).insertions
        const read = pets.list({ status: Option.none(), after: Option.none(), limit: 10 })
        yield* pets.insert({ name: "Bello", categoryId: 1n })
        const other = yield* otherConnection(path, Sqlite)
        const before = insertions()
        expect(yield* read).toHaveLength(1)
        expect(insertions()).toBe(before)
        // In the same tick, because a second call must see the change, however recent the first call was.
        other.exec("INSERT INTO pets (name, category_id) VALUES ('Coco', 1)")
        expect(insertions()).toBeGreaterThan(before)
        expect(yield* read).toHaveLength(2)
      }).pipe(Effect.provide(storage({ adapter, path }, { migrate: true }))),
    ),
)

/** A file with only the table that a revision reads, and two connections that do not wait for locks. */
const twoConnections = (path: string) =>
  Effect.gen(function* () {
    const open = Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(path, { timeout: 0 })),
      (connection) => Effect.sync(() => connection.close()),
    )
    const [connection, other] = [yield* open, yield* open]
    connection.exec("CREATE TABLE pet_changes (id INTEGER PRIMARY KEY, changes INTEGER); INSERT INTO pet_changes VALUES (1, 0)")
    return { connection, other }
  })

withFile("the revision is absent while the database is unavailable", (path) =>
  Effect.map(twoConnections(path), ({ connection, other }) => {
    const revision = petRevision(connection)
    const before = Option.getOrThrow(revision())
    other.exec("BEGIN EXCLUSIVE; UPDATE pet_changes SET changes = 1")
    expect(revision()).toStrictEqual(Option.none())
    other.exec("COMMIT")
    expect(Option.getOrThrow(revision())).toStrictEqual({ insertions: before.insertions + 1, changes: 1 })
  }),
)

withFile("the next revision includes a change that could not be read", (path) =>
  Effect.map(twoConnections(path), ({ connection, other }) => {
    const revision = petRevision(connection)
    const before = Option.getOrThrow(revision())
    other.exec("UPDATE pet_changes SET changes = 1")
    connection.setAuthorizer((action) => (action === constants.SQLITE_READ ? constants.SQLITE_DENY : constants.SQLITE_OK))
    expect(revision).toThrow("prohibited")
    connection.setAuthorizer(null)
    expect(Option.getOrThrow(revision())).toStrictEqual({ insertions: before.insertions + 1, changes: 1 })
  }),
)
