/** Tests identifiers above 2^53, which JavaScript numbers cannot represent exactly, on both engines. */
import { DatabaseSync } from "node:sqlite"
import { OrderRepository, PetId, PetRepository, type ValidNewPet } from "@petstore/core"
import { DatabaseSync as SqljsDatabaseSync } from "@petstore/sqljs"
import { Effect, Option, Stream } from "effect"
import { describe, expect } from "vitest"
import { storage } from "../../src/storage.js"
import { otherConnection, withFile } from "../sqlite-file.js"

const pet = (name: string): ValidNewPet => ({ name, categoryId: 1n, status: "available" })

const last = 2n ** 53n

const engines = [
  { adapter: "sqlite", Sqlite: DatabaseSync },
  { adapter: "sqljs", Sqlite: SqljsDatabaseSync },
] as const

describe.each(engines)("a $adapter file whose last identifier is 2^53", ({ adapter, Sqlite }) => {
  /** Runs a test on a store that was opened after that identifier was assigned. */
  const opened = (name: string, test: Effect.Effect<void, unknown, PetRepository | OrderRepository>) =>
    withFile(name, (path) =>
      Effect.gen(function* () {
        const open = <A, E>(use: Effect.Effect<A, E, PetRepository | OrderRepository>) =>
          Effect.provide(use, storage({ adapter, path }, { migrate: true }))
        yield* open(Effect.void)
        yield* Effect.scoped(
          Effect.map(otherConnection(path, Sqlite), (other) =>
            other.exec(`INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ${last}), ('orders', ${last})`),
          ),
        )
        yield* open(test)
      }),
    )

  const findsNext = Effect.gen(function* () {
    const found = yield* Effect.flatMap(PetRepository, (pets) => pets.find(PetId.make(last + 1n)))
    expect(Option.map(found, ({ name }) => name)).toStrictEqual(Option.some("Ada"))
  })

  opened(
    "assigns the next identifier to a new pet",
    Effect.gen(function* () {
      const pets = yield* PetRepository
      expect(yield* pets.insert(pet("Ada"))).toStrictEqual({ id: last + 1n, ...pet("Ada") })
      expect(yield* pets.insert(pet("Bello"))).toStrictEqual({ id: last + 2n, ...pet("Bello") })
      yield* findsNext
    }),
  )

  opened(
    "accepts an import of one batch",
    Effect.gen(function* () {
      const pets = yield* PetRepository
      expect(yield* pets.insertAll(Stream.make([pet("Ada"), pet("Bello")]))).toBe(2)
      yield* findsNext
    }),
  )

  opened(
    "accepts an import of many batches",
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const batches = Stream.make(
        [pet("Ada")],
        Array.from({ length: 120 }, (_, index) => pet(`Pet ${index}`)),
        [pet("Zoe")],
      )
      expect(yield* pets.insertAll(batches)).toBe(122)
      yield* findsNext
      expect((yield* pets.insert(pet("after"))).id).toBe(last + 123n)
    }),
  )

  opened(
    "places an order with the next identifier",
    Effect.gen(function* () {
      const { id: petId } = yield* Effect.flatMap(PetRepository, (pets) => pets.insert(pet("Ada")))
      const orders = yield* OrderRepository
      expect(yield* orders.insert({ petId }, new Date(1))).toMatchObject({ id: last + 1n, petId: last + 1n })
    }),
  )
})
