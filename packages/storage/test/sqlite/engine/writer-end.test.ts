/** What remains of a writer thread when its store is closed. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { newFile, runBuilt } from "../../sqlite-file.js"

/** Opens a store as on a slow disk, closes it during a write, and reports it. Nothing else keeps this program running. */
const program = `
  import { DatabaseSync } from "node:sqlite"
  import { PetRepository } from "@petstore/core"
  import { Effect } from "effect"
  const { sqliteStorage } = await import("./dist/sqlite/storage.js")
  const store = sqliteStorage(DatabaseSync, process.argv[1], { migrate: true }, "always")
  const write = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Bello", categoryId: 1n }))
  const atWork = Effect.promise(() => new Promise((resolve) => setImmediate(setImmediate, resolve)))
  await Effect.runPromise(Effect.provide(Effect.zipRight(Effect.fork(write), atWork), store))
  process.stdout.write("closed")
`

it("lets a program close its store although nothing else is left to do", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(newFile, (path) => Effect.promise(async () => expect(await runBuilt(program, path)).toBe("closed"))),
    ),
  ))
