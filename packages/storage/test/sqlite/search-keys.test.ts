/**
 * Tests when the pets in a SQLite file get their search keys, and that a search by name also finds pets without a key.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { type PetPlace, PetRepository } from "@petstore/core"
import { Effect } from "effect"
import { expect } from "vitest"
import { sqliteStorage } from "../../src/sqlite/storage.js"
import { byHand, otherConnection, storeIn, thirdSchema, withFile } from "../sqlite-file.js"

/** The search keys in a file's index, by name. */
const keysIn = (path: string) =>
  Effect.scoped(
    Effect.map(otherConnection(path), (connection) =>
      Object.fromEntries(
        connection
          .prepare("SELECT name, search_key FROM pets LEFT JOIN pets_by_name ON pet_id = id")
          .all()
          .map((row) => [row["name"], row["search_key"]]),
      ),
    ),
  )

/** The pet names that start with a text. */
const named = (from: string) =>
  Effect.gen(function* () {
    const { pets } = yield* (yield* PetRepository).search({
      keys: { from, below: `${from}\u{10ffff}` },
      order: "asc",
      limit: 100,
    })
    return pets.map(({ name }) => name)
  })

const many = `INSERT INTO pets (name, category_id)
  WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20000) SELECT 'Pet ' || value, 1 FROM n`

const insert = (name: string) => Effect.flatMap(PetRepository, (pets) => pets.insert({ name, categoryId: 1n }))

withFile("a service finds new pets immediately, and adds their keys soon afterwards", (path) =>
  Effect.gen(function* () {
    yield* Effect.forEach(["Bella", "Ada", "Béllo"], insert)
    expect(yield* named("bel")).toStrictEqual(["Bella", "Béllo"])
    yield* Effect.promise(() =>
      expect
        .poll(() => Effect.runPromise(keysIn(path)), { timeout: 20_000 })
        .toStrictEqual({ Ada: "ada", Bella: "bella", Béllo: "bello" }),
    )
    expect(yield* named("bel")).toStrictEqual(["Bella", "Béllo"])
  }).pipe(Effect.provide(storeIn(path))),
)

withFile("a search finds pets by the names that manual SQL has just set", (path) =>
  Effect.gen(function* () {
    yield* insert("Bella")
    yield* Effect.promise(() =>
      expect.poll(() => Effect.runPromise(keysIn(path)), { timeout: 20_000 }).toStrictEqual({ Bella: "bella" }),
    )
    yield* byHand(path, "UPDATE pets SET name = 'Mia'; INSERT INTO pets (name, category_id) VALUES ('Milo', 1)")
    expect(yield* named("mi")).toStrictEqual(["Mia", "Milo"])
    expect(yield* named("bel")).toStrictEqual([])
  }).pipe(Effect.provide(storeIn(path))),
)

withFile("a start adds keys to a store that has none", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(named("a"), storeIn(path))
    yield* byHand(path, thirdSchema)
    yield* byHand(path, many)
    yield* Effect.provide(
      Effect.gen(function* () {
        const keys: Record<string, unknown> = yield* keysIn(path)
        expect(Object.values(keys).filter((key) => key === null)).toStrictEqual([])
        expect(keys["Pet 20000"]).toBe("pet 20000")
        expect(yield* named("pet 1999")).toHaveLength(11)
      }),
      storeIn(path),
    )
  }),
)

withFile("a start recreates keys for another Unicode version, even after an interruption", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(Effect.forEach(["Bella", "Ada"], insert), storeIn(path))
    yield* Effect.provide(named("a"), storeIn(path))
    yield* byHand(path, "UPDATE pets_by_name SET search_key = 'x'; UPDATE search_index SET unicode_version = '1.0'")
    yield* Effect.provide(named("a"), storeIn(path))
    expect(yield* keysIn(path)).toStrictEqual({ Ada: "ada", Bella: "bella" })
    yield* byHand(path, "DELETE FROM pets_by_name WHERE search_key = 'ada'; UPDATE search_index SET indexed_to = 1")
    yield* Effect.provide(named("a"), storeIn(path))
    expect(yield* keysIn(path)).toStrictEqual({ Ada: "ada", Bella: "bella" })
  }),
)

withFile("a search finds every pet once, by its current name, after manual SQL changes indexed pets", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(Effect.forEach(["Ada", "Adam", "Adele", "Adonis"], insert), storeIn(path))
    const changes = [
      "UPDATE pets SET name = 'Adrian' WHERE id = 1; UPDATE pets SET name = 'Ada' WHERE id = 1",
      "INSERT OR REPLACE INTO pets (id, name, category_id) VALUES (2, 'Adlai', 1)",
      "UPDATE OR REPLACE pets SET name = 'Addison' WHERE id = 3; UPDATE OR REPLACE pets SET id = 30, category_id = 2 WHERE id = 3",
      "INSERT INTO pets (id, name, category_id) VALUES (-5, 'Adah', 2)",
      "INSERT OR REPLACE INTO pets (id, name, category_id) VALUES ((SELECT max(id) FROM pets), 'Adna', 2)",
      "DELETE FROM pets WHERE id = (SELECT max(id) FROM pets)",
      "INSERT INTO pets (id, name, category_id) VALUES (30, 'Ady', 2)",
      "UPDATE pets SET id = 1000 WHERE id = 2",
      "UPDATE pets SET id = 2 WHERE id = 1000; INSERT INTO pets (name, category_id) VALUES ('Adda', 2)",
    ]
    for (const change of changes) {
      yield* Effect.provide(named("a"), storeIn(path))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const pets = yield* PetRepository
          const connection = yield* otherConnection(path)
          connection.exec(change)
          const present = connection.prepare("SELECT name FROM pets ORDER BY lower(name), id").all()
          expect(yield* named("ad"), change).toStrictEqual(present.map(({ name }) => name))
          for (const [at, name] of present.map(({ name }) => String(name).toLowerCase()).entries()) {
            // One pet at a time, to check that an outdated entry does not end a page early.
            const { pets: page } = yield* pets.search({ keys: { from: name, below: "b" }, order: "asc", limit: 1 })
            expect(page.map((pet) => pet.name)).toStrictEqual([present[at]?.["name"]])
          }
          const all = yield* pets.search({ categoryId: 2n, order: "asc", limit: 9 })
          const ofCategory = connection.prepare("SELECT name FROM pets WHERE category_id = 2 ORDER BY id").all()
          expect(all.pets.map(({ name }) => name)).toStrictEqual(ofCategory.map(({ name }) => name))
        }),
      ).pipe(Effect.provide(storeIn(path)))
    }
  }),
)

withFile("a process with an older Unicode version does not change keys", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(insert("Bella"), storeIn(path))
    yield* Effect.provide(named("a"), storeIn(path))
    yield* byHand(path, "UPDATE search_index SET unicode_version = '999.0'")
    yield* Effect.provide(insert("Ada"), storeIn(path))
    expect(yield* Effect.provide(named("ad"), storeIn(path))).toStrictEqual(["Ada"])
    expect(yield* keysIn(path)).toStrictEqual({ Ada: null, Bella: "bella" })
  }),
)

withFile("a service replaces the keys of renamed pets even if many other outdated names are not text", (path) =>
  Effect.gen(function* () {
    const broken = "CAST(x'ff' || CAST(id AS TEXT) AS TEXT)"
    yield* Effect.provide(named("a"), storeIn(path))
    yield* byHand(path, many)
    yield* Effect.provide(named("a"), storeIn(path))
    yield* byHand(path, `UPDATE pets SET name = iif(id <= 600, ${broken}, 'Renamed ' || id) WHERE id <= 12000`)
    yield* Effect.provide(named("a"), storeIn(path))
    yield* byHand(path, "UPDATE pets SET name = 'Again ' || id WHERE id <= 12000")
    expect(yield* Effect.provide(named("again 1199"), storeIn(path))).toHaveLength(11)
    expect(yield* Effect.provide(named("renamed"), storeIn(path))).toStrictEqual([])
  }),
)

withFile("a search finds a pet even if another program renames the pet during the search", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(insert("Bella"), storeIn(path))
    yield* Effect.provide(named("a"), storeIn(path))
    let rename: (() => void) | undefined
    class Renaming extends DatabaseSync {
      override prepare(sql: string) {
        const statement = super.prepare(sql)
        if (/^SELECT .* FROM outdated_entries\) AND/.test(sql)) {
          const all = statement.all.bind(statement)
          const value = (...values: ReadonlyArray<SQLInputValue>) => {
            const rows = all(...values)
            rename?.()
            return rows
          }
          Object.defineProperty(statement, "all", { value })
        }
        return statement
      }
    }
    const other = yield* otherConnection(path)
    const found = Effect.suspend(() => {
      rename = () => other.exec("UPDATE pets SET name = 'Bello'")
      return named("bell")
    })
    expect(yield* Effect.provide(found, sqliteStorage(Renaming, path, { migrate: true }))).toStrictEqual(["Bella"])
  }),
)

withFile("a name that is not text has no key, and does not prevent a store from opening", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(insert("Ada"), storeIn(path))
    yield* byHand(path, "INSERT INTO pets (name, category_id) VALUES (CAST(x'ff' AS TEXT), 1)")
    expect(yield* Effect.provide(named("a"), storeIn(path))).toStrictEqual(["Ada"])
  }),
)

withFile("a search by name, if repeated after refusals, finds pets among many that another program has just added", (path) =>
  Effect.gen(function* () {
    // On a busy machine the keys take longer than a search waits. The test repeats a refused search.
    const found = Effect.retry(named("pet 1999"), { times: 100, while: ({ _tag }) => _tag === "StorageUnavailable" })
    yield* byHand(path, many)
    expect(yield* found).toHaveLength(11)
    yield* byHand(path, many)
    expect(yield* found).toHaveLength(22)
  }).pipe(Effect.provide(storeIn(path))),
)

withFile("a search by category finds all its pets immediately after another program has added many pets", (path) =>
  Effect.gen(function* () {
    yield* byHand(path, `${many}; UPDATE pets SET category_id = 7 WHERE id % 2500 = 1`)
    const pets = yield* PetRepository
    const found: Array<bigint> = []
    for (let after: PetPlace | undefined; ; ) {
      const { next, ...page } = yield* pets.search({
        categoryId: 7n,
        order: "asc",
        limit: 3,
        ...(after !== undefined && { after }),
      })
      found.push(...page.pets.map(({ id }) => id))
      if (next === undefined) break
      after = next
    }
    expect(found).toStrictEqual([1n, 2501n, 5001n, 7501n, 10001n, 12501n, 15001n, 17501n])
  }).pipe(Effect.provide(storeIn(path))),
)
