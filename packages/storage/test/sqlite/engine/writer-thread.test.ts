/** Tests how writes share a writer thread's transactions, and the writes after a write that cannot cross threads. */
import { expect, it } from "vitest"
import { runOnFile } from "../../sqlite-file.js"

/**
 * A program in which another connection holds the lock. One write arrives, then two more in separate ticks while the thread is
 * already waiting for the lock. Then the lock is released. Prints the numbers of pets and of transactions. On a busy machine,
 * either thread can be late, so the program repeats the steps until neither thread is.
 */
const program = `
  import { DatabaseSync } from "node:sqlite"
  import { setImmediate as tick } from "node:timers/promises"
  import { PetRepository } from "@petstore/core"
  import { Effect } from "effect"
  const path = process.argv[1]
  let transactions = []
  const { sqliteStorage } = await import("./dist/sqlite/storage.js")
  const store = sqliteStorage(DatabaseSync, path, { migrate: true, onGroupCommit: (writes) => transactions.push(writes) }, "always")
  const test = Effect.gen(function* () {
    const pets = yield* PetRepository
    const other = new DatabaseSync(path)
    const count = () => Object.values(other.prepare("SELECT count(*) FROM pets").get())[0]
    const once = Effect.gen(function* () {
      transactions = []
      const before = count()
      other.exec("BEGIN IMMEDIATE")
      const inserts = []
      for (const name of ["first", "second", "third"]) {
        inserts.push(Effect.runPromise(pets.insert({ name, categoryId: 1n })))
        for (let turns = 0; turns < 3; turns += 1) yield* Effect.promise(() => tick())
        // Lets the thread take the first write alone, and then wait for the lock.
        if (name === "first") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      }
      other.exec("ROLLBACK")
      const tooLate = performance.now() + 1000
      while (count() < before + 3 && performance.now() < tooLate);
      const kept = count() - before
      yield* Effect.promise(() => Promise.all(inserts))
      return { kept, transactions }
    })
    let seen = yield* once
    for (let tries = 1; tries < 20 && (seen.kept < 3 || seen.transactions[0] > 1); tries += 1) seen = yield* once
    return seen
  })
  process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(test, store))))
`

it("a writer thread commits the writes that arrive during a transaction without waiting for the main thread", async () =>
  expect(JSON.parse(await runOnFile(program))).toStrictEqual({ kept: 3, transactions: [1, 2] }))

/** A program with a write that cannot cross threads, followed by writes that can. Prints their outcomes. */
const refusing = `
  import { DatabaseSync } from "node:sqlite"
  import { PetRepository } from "@petstore/core"
  import { Effect, Exit } from "effect"
  const { sqliteStorage } = await import("./dist/sqlite/storage.js")
  const store = sqliteStorage(DatabaseSync, process.argv[1], { migrate: true }, "always")
  const test = Effect.gen(function* () {
    const pets = yield* PetRepository
    const insert = (name) => Effect.exit(Effect.timeout(pets.insert({ name, categoryId: 1n }), 2000))
    const refused = yield* insert(() => {})
    const kept = [yield* insert("first"), yield* insert("second")]
    return [refused, ...kept].map((exit) => (Exit.isSuccess(exit) ? exit.value.name : "failed"))
  })
  process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(test, store))))
  process.exit()
`

it("a writer thread resolves the writes that follow a write that cannot cross threads", async () =>
  expect(JSON.parse(await runOnFile(refusing))).toStrictEqual(["failed", "first", "second"]))
