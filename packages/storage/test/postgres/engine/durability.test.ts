/** A start refuses settings that can lose acknowledged writes. With safe settings, it goes on until it finds schema version 0. */
import { PetRepository } from "@petstore/core"
import { newPostgresDatabase, newPostgresServer } from "@petstore/test/postgres"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openAsPooler } from "../../as-pooler.js"
import { ifDurable, openStore, sql, tryToOpen } from "../../postgres-store.js"

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
  it(`a start fails with "${said}" if synchronous_commit = ${commit} and there is a standby`, async () => {
    expect(await tryToOpen(`${durable}?options=-c%20synchronous_commit%3D${commit}`, ifDurable)).toContain(said)
  })
}

it("a start refuses client_min_messages = error behind a pooler, and overrides it on a direct connection", async () => {
  const pooler = await openAsPooler(durable)
  const hushed = "?options=-c%20client_min_messages%3Derror"
  try {
    expect(await tryToOpen(pooler.url + hushed, ifDurable)).toContain("runs with client_min_messages = error")
    expect(await tryToOpen(durable + hushed, ifDurable)).toContain("schema version 0")
  } finally {
    pooler.close()
  }
})

it("a start refuses a store with an unlogged table, and names the table", async () => {
  const server = await newPostgresServer()
  try {
    await (await openStore(server.url)).close()
    await sql(server.url, "ALTER TABLE idempotency_keys SET UNLOGGED")
    expect(await tryToOpen(server.url, ifDurable)).toContain("ALTER TABLE idempotency_keys SET LOGGED")
  } finally {
    await server.kill()
  }
})

it("a start refuses fsync = off before it changes anything", async () => {
  // The server that the tests share runs with fsync = off, because it never has to survive a crash.
  const url = await newPostgresDatabase()
  expect(await tryToOpen(url, ifDurable)).toContain("runs with fsync = off")
  expect(await sql(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toStrictEqual([])
})

it("an open store's existing and new connections override synchronous_commit = off", async () => {
  const server = await newPostgresServer()
  const store = await openStore(server.url)
  const create = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Ada", categoryId: 1n }))
  try {
    await sql(
      server.url,
      `CREATE TABLE commits (setting text);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE TRIGGER note AFTER INSERT ON pets EXECUTE FUNCTION note()`,
    )
    await store.run(create)
    await sql(server.url, "ALTER SYSTEM SET synchronous_commit = off")
    await sql(server.url, "SELECT pg_reload_conf()")
    await expect.poll(() => sql(server.url, "SHOW synchronous_commit")).toStrictEqual([{ synchronous_commit: "off" }])
    await store.run(create)
    await sql(server.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'")
    await expect.poll(() => store.run(Effect.isSuccess(create))).toBe(true)
    expect(await sql(server.url, "SELECT setting FROM commits")).toStrictEqual(Array(3).fill({ setting: "on" }))
  } finally {
    await store.close()
    await server.kill()
  }
})
