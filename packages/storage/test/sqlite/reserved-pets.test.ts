/** Which pets of a SQLite file a placed order holds, where an older release or SQL by hand wrote them. */
import { OrderRepository, type Pet, PetRepository } from "@petstore/core"
import { Effect, Either, Option } from "effect"
import { expect, it } from "vitest"
import { newFile, otherConnection, storeIn, thirdSchema } from "../sqlite-file.js"

const older = `
  INSERT INTO pets (name, category_id, status) VALUES ('Ada', 1, 'pending'), ('Bello', 1, 'pending');
  INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (7, 2, 'placed', 0, 0), (9, 1, 'cancelled', 0, 0);`

/** As the release before kept orders. */
const formerOrders = `
  DROP TABLE orders;
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pet_id INTEGER NOT NULL REFERENCES pets (id),
    status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX orders_by_status ON orders (status);`

const byHand = (path: string, sql: string) =>
  Effect.scoped(Effect.map(otherConnection(path), (connection) => connection.exec(sql)))

/** What becomes of each pet when it is removed, by name. */
const removed = Effect.gen(function* () {
  const pets = yield* PetRepository
  const all: ReadonlyArray<Pet> = yield* pets.list({ status: Option.none(), after: Option.none(), limit: 100 })
  const outcomes = yield* Effect.forEach(all, (pet) => Effect.either(pets.remove(pet)))
  return Object.fromEntries(
    all.map(({ name }, index) => [
      name,
      outcomes[index]?.pipe(Either.match({ onLeft: ({ _tag }) => _tag, onRight: () => "removed" })),
    ]),
  )
})

const run = <A>(test: (path: string) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(newFile, test)))

it("are known after a migration, and the orders outlive the others", () =>
  run((path) =>
    Effect.gen(function* () {
      yield* Effect.provide(removed, storeIn(path))
      yield* byHand(path, `${thirdSchema};${formerOrders}${older}`)
      yield* byHand(path, "DELETE FROM orders WHERE id = 9; INSERT INTO orders VALUES (8, 1, 'cancelled', 0, 0)")
      const test = Effect.gen(function* () {
        const orders = yield* OrderRepository
        expect(yield* removed).toStrictEqual({ Ada: "removed", Bello: "PetReserved" })
        const kept = yield* orders.list({ status: Option.none(), after: Option.none(), limit: 9 })
        expect(kept.map(({ id, petId }) => [id, petId])).toStrictEqual([
          [7n, 2n],
          [8n, 1n],
        ])
        const { id } = yield* (yield* PetRepository).insert({ name: "Coco", categoryId: 1n, status: "available" })
        // No identifier of an order is used again either.
        expect(yield* orders.insert(id, new Date(0))).toMatchObject({ id: 10n })
      })
      yield* Effect.provide(test, storeIn(path))
    }),
  ))

it("count as reserved when an older release wrote them, until the next start", () =>
  run((path) =>
    Effect.gen(function* () {
      const beside = Effect.zipRight(byHand(path, older), removed)
      expect(yield* Effect.provide(beside, storeIn(path))).toStrictEqual({ Ada: "PetReserved", Bello: "PetReserved" })
      expect(yield* Effect.provide(removed, storeIn(path))).toStrictEqual({ Ada: "removed", Bello: "PetReserved" })
    }),
  ))

it("are counted as changes when SQL by hand corrects or removes them", () =>
  run((path) =>
    Effect.provide(
      Effect.gen(function* () {
        const pets = yield* PetRepository
        const changes = () => Option.getOrThrow(pets.revision()).changes
        yield* byHand(path, older)
        for (const sql of ["UPDATE pets SET name = 'Rex'", "UPDATE pets SET status = 'sold' WHERE id = 1", "DELETE FROM pets"]) {
          const before = changes()
          yield* byHand(path, sql)
          expect(changes()).toBeGreaterThan(before)
        }
      }),
      storeIn(path),
    ),
  ))
