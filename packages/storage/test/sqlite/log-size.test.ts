/** The size of SQLite's log after a reader kept it from being used again. */
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { createPets, PetRepository } from "@petstore/core"
import { Effect } from "effect"
import { expect } from "vitest"
import { storeIn, withFile } from "../sqlite-file.js"

const mebibyte = 2 ** 20

withFile("the log shrinks again after a long reader has ended", (path) =>
  Effect.provide(
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const insert = (count: number) =>
        createPets([Array.from({ length: count }, (_, index) => ({ name: `${index} ${"x".repeat(1_000)}`, categoryId: 1n }))])
      const logMebibytes = () => statSync(`${path}-wal`).size / mebibyte
      yield* pets.insert({ name: "Bello", categoryId: 1n })
      const reader = new DatabaseSync(path)
      reader.exec("BEGIN; SELECT count(*) FROM pets")
      for (let round = 0; round < 24; round += 1) yield* insert(2_000)
      expect(logMebibytes()).toBeGreaterThan(40)
      reader.close()
      for (let round = 0; round < 40 && logMebibytes() > 33; round += 1) yield* insert(100)
      expect(logMebibytes()).toBeLessThanOrEqual(33)
    }),
    storeIn(path),
  ),
)
