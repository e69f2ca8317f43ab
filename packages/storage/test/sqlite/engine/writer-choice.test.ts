/** Which thread writes. commit-latency.unit.ts tests when a disk is slow. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { newFile, runBuilt } from "../../sqlite-file.js"

/**
 * Makes a write twenty times, one after the other, on a disk that takes longer for each commit. Prints the numbers of started
 * threads, of commits on the main thread, and of kept pets.
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

const run = async (path: string, millis: number, write = 'insert({ name: "Bello", categoryId: 1n })'): Promise<unknown> =>
  JSON.parse(await runBuilt(program(millis, write), path))

describe("a store that has readers, when each commit takes 10 ms more", () => {
  it("writes a file on a separate thread, and keeps every pet across the change", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(newFile, (path) =>
          Effect.promise(async () => expect(await run(path, 10)).toMatchObject({ threads: 1, pets: 20 })),
        ),
      ),
    ))

  it("never writes memory on a thread", async () =>
    expect(await run(":memory:", 10)).toEqual({ threads: 0, commits: 20, pets: 20 }))
})

it("a disk that stalls blocks the serving thread only once", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(newFile, (path) =>
        Effect.promise(async () => expect(await run(path, 300)).toEqual({ threads: 1, commits: 1, pets: 20 })),
      ),
    ),
  ))

it("writes of many rows, whose commits take long on any disk, start no thread", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(newFile, (path) =>
        Effect.promise(async () =>
          expect(await run(path, 10, "correctAll([[1n, {}]])")).toEqual({ threads: 0, commits: 20, pets: 0 }),
        ),
      ),
    ),
  ))
