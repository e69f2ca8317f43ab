/** The inventory of a SQLite store from an older release, and of a store with wrong counts. */
import { DatabaseSync } from "node:sqlite"
import { InventoryRepository, PetRepository } from "@petstore/core"
import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { newFile, otherConnection, storeIn, thirdSchema } from "../sqlite-file.js"

const pets = Effect.flatMap(PetRepository, ({ insert }) =>
  Effect.zipRight(
    insert({ name: "Bello", categoryId: 1n, status: "sold" }),
    Effect.zipRight(insert({ name: "Mia", categoryId: 1n, status: "sold" }), insert({ name: "Rex", categoryId: 1n })),
  ),
)

const inventory = Effect.flatMap(InventoryRepository, ({ read }) => read)
const recount = Effect.flatMap(InventoryRepository, ({ recount }) => recount)

const three = { available: 0, pending: 0, sold: 2, withoutStatus: 1, total: 3 }

const change = (path: string, sql: string) =>
  Effect.sync(() => {
    const connection = new DatabaseSync(path)
    connection.exec(sql)
    connection.close()
  })

const run = <A>(test: (path: string) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(newFile, test)))

it("counts the existing pets when a migration adds the counts", () =>
  run((path) =>
    Effect.gen(function* () {
      yield* Effect.provide(pets, storeIn(path))
      const triggers = ["pets_inserted", "pets_moved", "pets_deleted"].map((name) => `DROP TRIGGER ${name};`).join("")
      yield* change(path, `${thirdSchema}; ${triggers} DROP TABLE inventory; PRAGMA user_version = 2`)
      expect(yield* Effect.provide(inventory, storeIn(path))).toStrictEqual(three)
    }),
  ))

it("reports wrong counts in a recount, and stores the correct ones", () =>
  run((path) =>
    Effect.gen(function* () {
      yield* Effect.provide(pets, storeIn(path))
      yield* change(path, "UPDATE inventory SET pets = pets + 5 WHERE status = 'pending'")
      expect(yield* Effect.provide(recount, storeIn(path))).toStrictEqual({
        kept: { ...three, pending: 5, total: 8 },
        counted: three,
      })
      expect(yield* Effect.provide(inventory, storeIn(path))).toStrictEqual(three)
    }),
  ))

it("waits for a lock that another program holds before it recounts", () =>
  run((path) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* pets
        const other = yield* otherConnection(path)
        other.exec("BEGIN IMMEDIATE")
        const recounting = yield* Effect.fork(recount)
        yield* Effect.sleep(100)
        other.exec("ROLLBACK")
        expect(yield* Fiber.join(recounting)).toStrictEqual({ kept: three, counted: three })
      }).pipe(Effect.provide(storeIn(path))),
    ),
  ))
