/** A writer thread exits when its store is closed. */
import { expect, it } from "vitest"
import { runOnFile } from "../../sqlite-file.js"

/**
 * A program that opens a store as on a slow disk, closes it during a write, and prints a line. Nothing else keeps the program
 * running.
 */
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

it("a writer thread lets its program close the store even if nothing else keeps the program running", async () =>
  expect(await runOnFile(program)).toBe("closed"))
