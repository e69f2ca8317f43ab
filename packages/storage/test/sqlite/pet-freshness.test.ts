/** Tests the revision of a SQLite file to which other processes also write. */
import { constants, DatabaseSync } from "node:sqlite"
import { ChangeRepository, PetRepository } from "@petstore/core"
import { DatabaseSync as SqljsDatabaseSync } from "@petstore/sqljs"
import { Effect, Option, Stream } from "effect"
import { expect, it } from "vitest"
import { migrations } from "../../src/sqlite/migrations.js"
import { petRevision } from "../../src/sqlite/pet-freshness.js"
import { storage } from "../../src/storage.js"
import { petFreshness } from "../pet-freshness.js"
import { onNewFile, otherConnection, storeIn, withFile } from "../sqlite-file.js"

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

withFile("creations by the store leave earlier pages as they were", (path) =>
  Effect.gen(function* () {
    const [pets, { revision }] = [yield* PetRepository, yield* petFreshness]
    const changes = () => Option.getOrThrow(revision()).changes
    const by = { accountId: "acc_1", keyId: "key_1", requestId: "1" }
    const before = changes()
    yield* pets.insert({ name: "Bello", categoryId: 1n }, by)
    yield* pets.insertAll(Stream.make([{ name: "Coco", categoryId: 1n }]), { command: "import" })
    expect(changes()).toBe(before)
  }).pipe(Effect.provide(storeIn(path))),
)

withFile("the revision never falls to a former one when old changes are removed", (path) =>
  Effect.gen(function* () {
    const [pets, { revision }] = [yield* PetRepository, yield* petFreshness]
    const { removeBefore } = Option.getOrThrow(yield* Effect.serviceOption(ChangeRepository))
    const changes = () => Option.getOrThrow(revision()).changes
    const pet = yield* pets.insert({ name: "Bello", categoryId: 1n })
    yield* pets.replace(pet, { ...pet, name: "Rex" })
    const before = changes()
    expect(yield* removeBefore(new Date(Date.now() + 1_000), 100)).toBe(2)
    expect(changes()).toBeGreaterThanOrEqual(before)
  }).pipe(Effect.provide(storeIn(path))),
)

/** A new store, and two connections that do not wait for locks. */
const twoConnections = (path: string) =>
  Effect.gen(function* () {
    const open = Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(path, { timeout: 0 })),
      (connection) => Effect.sync(() => connection.close()),
    )
    const [connection, other] = [yield* open, yield* open]
    for (const step of migrations) connection.exec(step)
    return { connection, other }
  })

const change = "INSERT INTO changes (at, operation) VALUES (1, 2)"

withFile("the revision is absent while the database is unavailable", (path) =>
  Effect.map(twoConnections(path), ({ connection, other }) => {
    const { revision } = petRevision(connection)
    const before = Option.getOrThrow(revision())
    other.exec(`BEGIN EXCLUSIVE; ${change}`)
    expect(revision()).toStrictEqual(Option.none())
    other.exec("COMMIT")
    expect(Option.getOrThrow(revision())).toStrictEqual({ insertions: before.insertions + 1, changes: 1 })
  }),
)

withFile("the next revision includes a change that could not be read", (path) =>
  Effect.map(twoConnections(path), ({ connection, other }) => {
    const { revision } = petRevision(connection)
    const before = Option.getOrThrow(revision())
    other.exec(change)
    connection.setAuthorizer((action) => (action === constants.SQLITE_READ ? constants.SQLITE_DENY : constants.SQLITE_OK))
    expect(revision).toThrow("prohibited")
    connection.setAuthorizer(null)
    expect(Option.getOrThrow(revision())).toStrictEqual({ insertions: before.insertions + 1, changes: 1 })
  }),
)
