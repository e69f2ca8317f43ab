/** What the contract suite of `ChangeRepository` does not show: SQL by hand, the size of a change, and writes that fail. */
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { type Actor, ChangeRepository, encodePet, OrderRepository, PetRepository } from "@petstore/core"
import { Effect, Option, type Scope } from "effect"
import { describe, expect } from "vitest"
import { otherConnection, storeIn, withFile } from "../sqlite-file.js"

/** Runs a test on a store in a new file. The test receives the file's path. */
const onFile = (
  name: string,
  test: (path: string) => Effect.Effect<void, unknown, PetRepository | OrderRepository | Scope.Scope>,
) => withFile(name, (path) => Effect.provide(test(path), storeIn(path)))

const all = Effect.gen(function* () {
  const { list } = Option.getOrThrow(yield* Effect.serviceOption(ChangeRepository))
  const { changes } = yield* list({ order: "asc", after: Option.none(), limit: 10_000 })
  return changes.map(({ id: _, at: _at, ...rest }) => rest)
})

const caller: Actor = {
  accountId: "acc_0123456789abcdef",
  keyId: "key_0123456789abcdef",
  requestId: "2c5a8a40-0000-4000-8000-0123456789ab",
}

const bello = { name: 'Bello 🐕 "7"', categoryId: 2n ** 53n + 1n }

describe("SQL by hand", () => {
  onFile("leaves one change for each changed row, with exact values and without an actor", (path) =>
    Effect.gen(function* () {
      const other = yield* otherConnection(path)
      other.exec(`INSERT INTO pets (id, name, category_id) VALUES (7, 'Bello', 9007199254740993);
        UPDATE pets SET status = 'available' WHERE id = 7;
        UPDATE pets SET status = 'available' WHERE id = 7;
        INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (3, 7, 'placed', 1700000000123, 1700000000123);
        UPDATE orders SET status = 'cancelled', updated_at = 1700000000456 WHERE id = 3;
        INSERT INTO categories (id, name) VALUES (9007199254740993, 'Dogs');
        DELETE FROM categories;
        DELETE FROM pets`)
      const pet = { id: 7n, name: "Bello", categoryId: 9_007_199_254_740_993n }
      const available = { ...pet, status: "available" }
      const at = new Date(1_700_000_000_123)
      const order = { id: 3n, petId: 7n, status: "placed", createdAt: at, updatedAt: at }
      const category = { id: 9_007_199_254_740_993n, name: "Dogs" }
      expect(yield* all).toStrictEqual([
        { operation: "createPet", after: { pet } },
        { operation: "correctPet", before: { pet }, after: { pet: available } },
        { operation: "createOrder", after: { order } },
        {
          operation: "cancelOrder",
          before: { order },
          after: { order: { ...order, status: "cancelled", updatedAt: new Date(1_700_000_000_456) } },
        },
        { operation: "replaceCategory", after: { category } },
        { operation: "removeCategory", before: { category } },
        { operation: "removePet", before: { pet: available } },
      ])
    }),
  )

  onFile("leaves changes between those of the store, which are not recorded twice", (path) =>
    Effect.gen(function* () {
      const [pets, other] = [yield* PetRepository, yield* otherConnection(path)]
      yield* pets.insert(bello)
      other.exec("UPDATE pets SET name = 'Rex'")
      yield* pets.insert(bello)
      other.exec("UPDATE pets SET name = 'Max' WHERE id = 1")
      expect((yield* all).map(({ operation }) => operation)).toStrictEqual(["createPet", "correctPet", "createPet", "correctPet"])
    }),
  )
})

onFile("a write that is undone within a transaction leaves no change, and the others of the transaction do", (path) =>
  Effect.gen(function* () {
    const [pets, orders, other] = [yield* PetRepository, yield* OrderRepository, yield* otherConnection(path)]
    const pet = yield* pets.insert({ ...bello, status: "available" })
    const order = yield* orders.insert({ petId: pet.id }, new Date(0))
    // Makes the second correction of the next transaction fail.
    other.exec("CREATE TRIGGER no BEFORE UPDATE OF name ON pets WHEN NEW.name = 'no' BEGIN SELECT raise(ABORT, 'no'); END")
    const second = yield* pets.insert(bello)
    const [failed] = yield* Effect.all(
      [
        Effect.exit(
          pets.correctAll([
            [second.id, { name: "yes" }],
            [second.id, { name: "no" }],
          ]),
        ),
        orders.close(order.id, "cancel", new Date(1)),
        pets.insert(bello),
      ],
      { concurrency: "unbounded" },
    )
    expect(failed._tag).toBe("Failure")
    expect((yield* pets.find(second.id)).pipe(Option.getOrThrow).name).toBe(bello.name)
    expect((yield* all).slice(3).map(({ operation }) => operation)).toStrictEqual(["cancelOrder", "createPet"])
  }),
)

onFile("a creation's change takes at most 200 bytes beyond the pet's JSON, with its index and a request identifier", (path) =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const pet = yield* pets.insert(bello, caller)
    yield* Effect.forEach(Array(5_000).keys(), () => pets.insert(bello, caller), { concurrency: "unbounded", discard: true })
    const connection = new DatabaseSync(path)
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    const sizeWithout = (sql: string): number => {
      connection.exec(`${sql}; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`)
      return statSync(path).size
    }
    const before = sizeWithout("SELECT 1")
    const after = sizeWithout("DELETE FROM changes")
    connection.close()
    const each = (before - after) / 5_001 - Buffer.byteLength(encodePet(pet))
    expect(each).toBeGreaterThan(36)
    expect(each).toBeLessThan(200)
  }),
)
