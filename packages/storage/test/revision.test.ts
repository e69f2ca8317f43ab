/** The revision of a SQLite file, which other processes write too. */
import { readFileSync, writeFileSync } from "node:fs"
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

it("the revision is unknown while the file cannot be read, and known again afterwards", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* newFile
        const test = Effect.gen(function* () {
          const pets = yield* PetRepository
          const before = Option.getOrThrow(pets.revision()).insertions
          const other = yield* otherConnection(path)
          other.exec("INSERT INTO pets (name, category_id) VALUES ('Coco', 1)")
          // From the log into the file, so that the file is where a read goes.
          other.exec("PRAGMA wal_checkpoint(TRUNCATE)")
          const content = readFileSync(path)
          writeFileSync(path, Buffer.concat([content.subarray(0, 4096), Buffer.alloc(content.length - 4096, 0xff)]), {
            flag: "r+",
          })
          expect(pets.revision()).toStrictEqual(Option.none())
          writeFileSync(path, content, { flag: "r+" })
          // SQLite keeps what it read until somebody writes.
          other.exec("INSERT INTO pets (name, category_id) VALUES ('Luna', 1)")
          expect(Option.getOrThrow(pets.revision()).insertions).toBeGreaterThan(before)
        })
        yield* Effect.provide(test, storeIn(path))
      }),
    ),
  ))
