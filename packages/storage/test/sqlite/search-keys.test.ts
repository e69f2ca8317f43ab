/**
 * When the pets of a SQLite file get their search keys, for writes of any program, and that each is found by name before that.
 */
import { type PetPlace, PetRepository } from "@petstore/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { newFile, otherConnection, storeIn, thirdSchema } from "../sqlite-file.js"

const run = <A>(test: (path: string) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(newFile, test)))

const byHand = (path: string, sql: string) =>
  Effect.scoped(Effect.map(otherConnection(path), (connection) => connection.exec(sql)))

/** The search keys in a file, by name. */
const keysIn = (path: string) =>
  Effect.scoped(
    Effect.map(otherConnection(path), (connection) =>
      Object.fromEntries(
        connection
          .prepare("SELECT name, search_key FROM pets")
          .all()
          .map((row) => [row["name"], row["search_key"]]),
      ),
    ),
  )

/** The names of pets that begin with the given text. */
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

it("are there soon after the pets, which are found at once", () =>
  run((path) =>
    Effect.gen(function* () {
      yield* Effect.forEach(["Bella", "Ada", "Béllo"], insert)
      expect(yield* named("bel")).toStrictEqual(["Bella", "Béllo"])
      yield* Effect.promise(() =>
        expect
          .poll(() => Effect.runPromise(keysIn(path)), { timeout: 5_000 })
          .toStrictEqual({ Ada: "ada", Bella: "bella", Béllo: "bello" }),
      )
      expect(yield* named("bel")).toStrictEqual(["Bella", "Béllo"])
    }).pipe(Effect.provide(storeIn(path))),
  ))

it("match the current names, which manual SQL may have changed", () =>
  run((path) =>
    Effect.gen(function* () {
      yield* insert("Bella")
      yield* Effect.promise(() =>
        expect.poll(() => Effect.runPromise(keysIn(path)), { timeout: 5_000 }).toStrictEqual({ Bella: "bella" }),
      )
      yield* byHand(path, "UPDATE pets SET name = 'Mia'; INSERT INTO pets (name, category_id) VALUES ('Milo', 1)")
      expect(yield* named("mi")).toStrictEqual(["Mia", "Milo"])
      expect(yield* named("bel")).toStrictEqual([])
    }).pipe(Effect.provide(storeIn(path))),
  ))

it("are there before a store that had none is used", () =>
  run((path) =>
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
  ))

it("are created again where they belong to another version of Unicode, even after an interruption", () =>
  run((path) =>
    Effect.gen(function* () {
      const wrong = "UPDATE pets SET search_key = 'x' WHERE name <> 'Ada';"
      yield* Effect.provide(Effect.forEach(["Bella", "Ada"], insert), storeIn(path))
      yield* Effect.provide(named("a"), storeIn(path))
      yield* byHand(path, `${wrong} UPDATE search_keys SET unicode_version = '1.0'`)
      yield* Effect.provide(named("a"), storeIn(path))
      expect(yield* keysIn(path)).toStrictEqual({ Ada: "ada", Bella: "bella" })
      yield* byHand(path, `${wrong} UPDATE search_keys SET checked_to = 0`)
      yield* Effect.provide(named("a"), storeIn(path))
      expect(yield* keysIn(path)).toStrictEqual({ Ada: "ada", Bella: "bella" })
    }),
  ))

it("are missing for a name that is not text, which does not prevent a store from opening", () =>
  run((path) =>
    Effect.gen(function* () {
      yield* Effect.provide(insert("Ada"), storeIn(path))
      yield* byHand(path, "INSERT INTO pets (name, category_id) VALUES (CAST(x'ff' AS TEXT), 1)")
      expect(yield* Effect.provide(named("a"), storeIn(path))).toStrictEqual(["Ada"])
    }),
  ))

it("are not needed to find every pet of a category, even while another program adds many", () =>
  run((path) =>
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
  ))
