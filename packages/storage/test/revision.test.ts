/** The revision of a SQLite file, which other processes write too. */
import { PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { newFile, otherConnection, storeIn } from "./sqlite-file.js"

it("the revision grows when another connection adds a pet, and stays while only reads happen", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* newFile
        const test = Effect.gen(function* () {
          const pets = yield* PetRepository
          const insertions = () => Option.getOrThrow(pets.revision()).insertions
          const read = pets.list({ status: Option.none(), after: Option.none(), limit: 10 })
          yield* pets.insert({ name: "Bello", categoryId: 1n })
          const before = insertions()
          expect(yield* read).toHaveLength(1)
          expect(insertions()).toBe(before)
          const other = yield* otherConnection(path)
          other.exec("INSERT INTO pets (name, category_id) VALUES ('Coco', 1)")
          expect(insertions()).toBeGreaterThan(before)
          expect(yield* read).toHaveLength(2)
        })
        yield* Effect.provide(test, storeIn(path))
      }),
    ),
  ))
