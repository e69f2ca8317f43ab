/** Checks whether a PostgreSQL server's settings keep acknowledged writes safe. */
import { newPostgresDatabase, newPostgresServer } from "@petstore/test/postgres"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openAsPooler } from "../../as-pooler.js"
import { ifDurable, sql, tryToOpen } from "../../postgres-store.js"

let durable = ""
let end = async (): Promise<void> => {}

beforeAll(async () => {
  const server = await newPostgresServer(["synchronous_standby_names=one"])
  durable = server.url
  end = server.kill
})

afterAll(() => end())

for (const [commit, said] of [
  ["off", "runs with synchronous_commit = off"],
  ["local", "runs with synchronous_commit = local"],
  ["remote_write", "schema version 0"],
  ["on", "schema version 0"],
  ["remote_apply", "schema version 0"],
] as const) {
  it(`synchronous_commit = ${commit}, with a standby: ${said}`, async () => {
    expect(await tryToOpen(`${durable}?options=-c%20synchronous_commit%3D${commit}`, ifDurable)).toContain(said)
  })
}

it("client_min_messages = error is refused behind a pooler, and corrected on a direct connection", async () => {
  const pooler = await openAsPooler(durable)
  const hushed = "?options=-c%20client_min_messages%3Derror"
  try {
    expect(await tryToOpen(pooler.url + hushed, ifDurable)).toContain("runs with client_min_messages = error")
    expect(await tryToOpen(durable + hushed, ifDurable)).toContain("schema version 0")
  } finally {
    pooler.close()
  }
})

it("fsync = off is refused before anything is changed", async () => {
  // The server that the tests share runs with fsync = off, because it never has to survive a crash.
  const url = await newPostgresDatabase()
  expect(await tryToOpen(url, ifDurable)).toContain("runs with fsync = off")
  expect(await sql(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toStrictEqual([])
})
