/** Tests reserved pets in a SQLite file that an older release or manual SQL has changed. */
import { OrderId, OrderRepository, type Pet, PetRepository } from "@petstore/core"
import { Effect, Either, Option } from "effect"
import { expect } from "vitest"
import { serviceStorage } from "../../src/storage.js"
import { petFreshness } from "../pet-freshness.js"
import { byHand, otherConnection, storeIn, thirdSchema, withFile } from "../sqlite-file.js"

const older = `
  INSERT INTO pets (name, category_id, status) VALUES ('Ada', 1, 'pending'), ('Bello', 1, 'pending');
  INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (7, 2, 'placed', 0, 0), (9, 1, 'cancelled', 0, 0);`

/** The table of orders in an older release. */
const formerOrders = `
  DROP TABLE orders;
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pet_id INTEGER NOT NULL REFERENCES pets (id),
    status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX orders_by_status ON orders (status);`

/** The result of removing each pet, by the pet's name. */
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

withFile("after a migration, unreserved pets can be removed, and their orders remain", (path) =>
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
      // The identifiers of removed orders are not reused.
      expect(yield* orders.insert(id, new Date(0))).toMatchObject({ id: 10n })
    })
    yield* Effect.provide(test, storeIn(path))
  }),
)

withFile("a migration sets `free` for unreserved pets, and preserves what manual SQL has added to the orders", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(removed, storeIn(path))
    yield* byHand(path, `${thirdSchema};${formerOrders}${older}`)
    yield* byHand(
      path,
      `ALTER TABLE orders ADD COLUMN note TEXT;
         UPDATE orders SET note = 'gift' WHERE id = 7;
         CREATE INDEX orders_by_note ON orders (note) WHERE note IS NOT NULL;
         CREATE TABLE ended (id INTEGER PRIMARY KEY) STRICT;
         CREATE TRIGGER orders_ended AFTER UPDATE OF status ON orders BEGIN INSERT INTO ended VALUES (NEW.id); END;
         CREATE VIEW gifts AS SELECT id FROM orders WHERE note = 'gift';
         CREATE TABLE parcels (order_id INTEGER REFERENCES orders (id) ON DELETE CASCADE) STRICT;
         CREATE TABLE invoices (order_id INTEGER REFERENCES orders (id)) STRICT;
         INSERT INTO parcels VALUES (7);
         INSERT INTO invoices VALUES (7);`,
    )
    const test = Effect.gen(function* () {
      expect(yield* removed).toStrictEqual({ Ada: "removed", Bello: "PetReserved" })
      yield* (yield* OrderRepository).close(OrderId.make(7n), "complete", new Date(0))
    })
    yield* Effect.provide(test, storeIn(path))
    const rowsOf = (sql: string) =>
      Effect.scoped(
        Effect.map(otherConnection(path), (connection) =>
          connection
            .prepare(sql)
            .all()
            .map((row) => Object.values(row)),
        ),
      )
    expect(yield* rowsOf("SELECT id FROM gifts UNION ALL SELECT id FROM ended")).toStrictEqual([[7], [7]])
    expect(yield* rowsOf("SELECT order_id FROM parcels UNION ALL SELECT order_id FROM invoices")).toStrictEqual([[7], [7]])
    const cascade = "PRAGMA foreign_keys = ON; DELETE FROM invoices; DELETE FROM orders WHERE id = 7"
    yield* byHand(path, cascade)
    expect(yield* rowsOf("SELECT order_id FROM parcels")).toStrictEqual([])
    const indexes = "SELECT name FROM sqlite_schema WHERE tbl_name = 'orders' AND type = 'index' ORDER BY name"
    expect(yield* rowsOf(indexes)).toStrictEqual([["orders_by_note"], ["orders_by_pet_and_status"], ["orders_by_status"]])
    expect(yield* rowsOf("SELECT 1 FROM sqlite_schema WHERE name = 'orders' AND sql LIKE '%REFERENCES%'")).toStrictEqual([])
  }),
)

withFile("a store opens even if its values of `free` cannot be corrected", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(removed, storeIn(path))
    yield* byHand(path, older)
    yield* byHand(
      path,
      "CREATE TRIGGER full BEFORE UPDATE OF free ON pets BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END",
    )
    expect(yield* Effect.provide(removed, storeIn(path))).toStrictEqual({ Ada: "PetReserved", Bello: "PetReserved" })
  }),
)

withFile("pending pets that an older release wrote count as reserved until the next start", (path) =>
  Effect.gen(function* () {
    const beside = Effect.zipRight(byHand(path, older), removed)
    expect(yield* Effect.provide(beside, storeIn(path))).toStrictEqual({ Ada: "PetReserved", Bello: "PetReserved" })
    expect(yield* Effect.provide(removed, storeIn(path))).toStrictEqual({ Ada: "removed", Bello: "PetReserved" })
  }),
)

withFile("a command that migrates a store does not count its unreserved pending pets as reserved", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(removed, storeIn(path))
    yield* byHand(path, `${thirdSchema};${formerOrders}${older}`)
    const asCommand = serviceStorage({ adapter: "sqlite", path }, { migrate: true, leavesUpkeep: true })
    expect(yield* Effect.provide(removed, asCommand)).toStrictEqual({ Ada: "removed", Bello: "PetReserved" })
  }),
)

withFile("manual SQL changes the revision, unless it only adds pets at the end of the list", (path) =>
  Effect.provide(
    Effect.gen(function* () {
      const { revision } = yield* petFreshness
      const changes = () => Option.getOrThrow(revision()).changes
      yield* byHand(path, older)
      for (const sql of ["UPDATE pets SET name = 'Rex'", "UPDATE pets SET status = 'sold' WHERE id = 1", "DELETE FROM pets"]) {
        const before = changes()
        yield* byHand(path, sql)
        expect(changes()).toBeGreaterThan(before)
      }
      const before = changes()
      yield* byHand(path, "INSERT INTO pets (id, name, category_id) VALUES (40, 'Dodo', 1), (41, 'Emu', 1)")
      expect(changes()).toBe(before)
      yield* byHand(path, "INSERT INTO pets (id, name, category_id) VALUES (20, 'Coco', 1)")
      expect(changes()).toBeGreaterThan(before)
    }),
    storeIn(path),
  ),
)
