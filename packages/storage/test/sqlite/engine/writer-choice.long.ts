/** Tests which thread writes. commit-latency.unit.ts tests when a disk counts as slow. */
import { describe, expect, it } from "vitest"
import { runBuilt, runOnFile } from "../../sqlite-file.js"

/**
 * A program that performs a write twenty times in sequence, on a disk that delays every commit. Prints the numbers of started
 * threads, of commits on the main thread and of stored pets.
 */
const program = (millis: number, write: string) => `
  import { DatabaseSync } from "node:sqlite"
  import { PetRepository } from "@petstore/core"
  import { Effect, Option } from "effect"
  let threads = 0
  let commits = 0
  process.on("worker", () => { threads += 1 })
  const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${millis})
  class Disk extends DatabaseSync {
    prepare(sql) {
      const statement = super.prepare(sql)
      if (sql === "COMMIT") statement.run = () => { commits += 1; wait(); return super.prepare(sql).run() }
      return statement
    }
  }
  const { sqliteStorage } = await import("./dist/sqlite/storage.js")
  const store = sqliteStorage(Disk, process.argv[1], { migrate: true }, "when-slow")
  const kept = Effect.flatMap(PetRepository, ({ insert, correctAll, list }) =>
    ${write}.pipe(
      Effect.repeatN(19),
      Effect.zipRight(list({ status: Option.none(), after: Option.none(), limit: 100 })),
    ))
  const pets = await Effect.runPromise(Effect.provide(kept, store))
  process.stdout.write(JSON.stringify({ threads, commits, pets: pets.length }))
`

const insertOne = 'insert({ name: "Bello", categoryId: 1n })'

const run = async (millis: number, write = insertOne): Promise<unknown> => JSON.parse(await runOnFile(program(millis, write)))

describe("a store on a slow disk", () => {
  it("writes on a separate thread, and loses no pet when it switches threads", async () =>
    expect(await run(10)).toMatchObject({ threads: 1, pets: 20 }))
})

it("a store in memory writes on the main thread, even if commits are slow", async () =>
  expect(JSON.parse(await runBuilt(program(10, insertOne), ":memory:"))).toEqual({ threads: 0, commits: 20, pets: 20 }))

it("a store blocks the main thread only once if the disk stalls", async () =>
  expect(await run(300)).toEqual({ threads: 1, commits: 1, pets: 20 }))

it("a store does not start a thread for writes of many rows, because their commits are slow on any disk", async () =>
  expect(await run(10, "correctAll([[1n, {}]])")).toEqual({ threads: 0, commits: 20, pets: 0 }))

it("a store writes on the main thread if the process may not start threads", async () => {
  const flags = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*"]
  expect(JSON.parse(await runOnFile(program(300, insertOne), flags))).toEqual({ threads: 0, commits: 20, pets: 20 })
})
