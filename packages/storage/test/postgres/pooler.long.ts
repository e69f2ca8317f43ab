/** Tests a store behind PgBouncer in transaction mode, which can send each statement on a different connection. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { InventoryRepository, OrderRepository, PetRepository } from "@petstore/core"
import { startPooler } from "@petstore/test/pooler"
import { newPostgresDatabase, newPostgresServer, statementsOf } from "@petstore/test/postgres"
import { Effect, Option } from "effect"
import { expect, it, onTestFinished } from "vitest"
import { openAlone } from "../../src/postgres/engine/database.js"
import { storage } from "../../src/storage.js"
import { claimOf } from "../claim.js"
import { openStore } from "../postgres-store.js"

const bello = { name: "Bello", categoryId: 7n, status: "available" } as const
const at = new Date("2026-01-01T00:00:00Z")

/** Sells a new pet, sends the request to create another pet twice under one key, and returns the results. */
const trade = (index: number) =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const orders = yield* OrderRepository
    const { id } = yield* pets.insert(bello)
    const order = yield* orders.insert({ petId: id }, at)
    const refusal = yield* Effect.flip(orders.insertOnce({ petId: id }, claimOf(`order ${index}`)))
    yield* orders.close(order.id, "complete", at)
    const sold = yield* pets.find(id)
    const first = yield* pets.insertOnce(bello, claimOf(`pet ${index}`))
    const second = yield* pets.insertOnce(bello, claimOf(`pet ${index}`))
    return [refusal._tag, Option.getOrThrow(sold).status, first.value.id === second.value.id]
  })

const trades = 300

/** Starts a pooler that is stopped after the running test, and returns the pooler's URL. */
const behindPooler = async (url: string, settings?: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-pooler-"))
  // PgBouncer refuses to run as root, so another user must be able to read the folder.
  chmodSync(folder, 0o755)
  const pooler = await startPooler(folder, new URL(url), settings)
  onTestFinished(async () => {
    await pooler.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return pooler.url
}

it("a store behind a pooler works as on a direct connection, but sends no statement names", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  const store = await openStore(await behindPooler(url), { statementTimeoutMillis: 20_000 })
  const done = await store.run(Effect.forEach(Array.from({ length: trades }), (_, index) => trade(index), { concurrency: 32 }))
  expect(new Set(done.map(String))).toStrictEqual(new Set(["PetNotAvailable,sold,true"]))
  expect(await store.run(Effect.flatMap(InventoryRepository, ({ read }) => read))).toMatchObject({
    sold: trades,
    available: trades,
  })
  await store.close()
  const sent = async () => (await statementsOf(url, "petstore")).filter((text) => text.startsWith("execute"))
  await expect.poll(async () => (await sent()).length).toBeGreaterThan(7 * trades)
  expect((await sent()).filter((text) => !text.startsWith("execute <unnamed>:"))).toStrictEqual([])
})

it("a migration's long statement completes even if it uses the pooler's only connection to the server", async () => {
  const url = await behindPooler(await newPostgresDatabase(), "default_pool_size = 1\nquery_wait_timeout = 120")
  const options = { url, applicationName: "petstore", statementTimeoutMillis: 0 }
  const slow = Effect.flatMap(openAlone(options), (run) => run("SELECT 'done' FROM pg_sleep(25)"))
  expect(await Effect.runPromise(Effect.scoped(slow))).toStrictEqual([["done"]])
})

it("a store behind a pooler is unreachable while the server is down, but not with a wrong password", async () => {
  const server = await newPostgresServer()
  const url = await behindPooler(server.url)
  const failure = async (address: string) => {
    const { reason, isUnreachable } = await Effect.runPromise(
      Effect.flip(Effect.provide(Effect.void, storage(address, { migrate: true }))),
    )
    return [reason, isUnreachable]
  }
  const wrong = new URL(url)
  wrong.password = "wrong"
  expect(await failure(wrong.href)).toEqual([expect.stringContaining("authentication failed"), undefined])
  await server.kill()
  expect(await failure(url)).toEqual([expect.stringContaining("cannot be opened"), true])
})
