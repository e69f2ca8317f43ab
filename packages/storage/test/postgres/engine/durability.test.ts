/** What the settings of a PostgreSQL server say about what it acknowledges. */
import { newPostgresDatabase, newPostgresServer } from "@petstore/test/postgres"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { storage } from "../../../src/storage.js"
import { StorageNotOpened } from "../../../src/storage-not-opened.js"
import { openAsPooler } from "../../as-pooler.js"
import { sql } from "../../postgres-store.js"

let durable = ""
let end = async (): Promise<void> => {}

beforeAll(async () => {
  const server = await newPostgresServer(["synchronous_standby_names=one"])
  durable = server.url
  end = server.kill
})

afterAll(() => end())

/** What is said about a server when a store is opened on it that is refused in that case. */
const reasonOf = (url: string): Promise<string> =>
  Effect.runPromise(
    Effect.void.pipe(
      Effect.provide(
        storage({ adapter: "postgres", url }, { migrate: false, onVolatile: (reason) => new StorageNotOpened({ reason }) }),
      ),
      Effect.as("opened"),
      Effect.catchTag("StorageNotOpened", ({ reason }) => Effect.succeed(reason)),
    ),
  )

for (const [commit, said] of [
  ["off", "runs with synchronous_commit = off"],
  ["local", "runs with synchronous_commit = local"],
  ["remote_write", "schema version 0"],
  ["on", "schema version 0"],
  ["remote_apply", "schema version 0"],
] as const) {
  it(`synchronous_commit = ${commit}, with a standby: ${said}`, async () => {
    expect(await reasonOf(`${durable}?options=-c%20synchronous_commit%3D${commit}`)).toContain(said)
  })
}

it("client_min_messages = error is refused behind a pooler, and set right where the server itself answers", async () => {
  const pooler = await openAsPooler(durable)
  const hushed = "?options=-c%20client_min_messages%3Derror"
  try {
    expect(await reasonOf(pooler.url + hushed)).toContain("runs with client_min_messages = error")
    expect(await reasonOf(durable + hushed)).toContain("schema version 0")
  } finally {
    pooler.close()
  }
})

it("fsync = off is refused before anything is changed", async () => {
  // The server that tests share syncs nothing, because it never has to survive anything.
  const url = await newPostgresDatabase()
  expect(await reasonOf(url)).toContain("runs with fsync = off")
  expect(await sql(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toStrictEqual([])
})
