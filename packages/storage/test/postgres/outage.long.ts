/**
 * While a PostgreSQL server is down or unresponsive, callers still get results. An outage loses no acknowledged write, and the
 * store recovers automatically.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type OrderClosing, type OrderId, OrderRepository, type PetId, PetRepository, Readiness } from "@petstore/core"
import { openProxy } from "@petstore/harness/proxy"
import { newPostgresDatabase, newPostgresServer } from "@petstore/test/postgres"
import { Effect, Option, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { postgresDefaults } from "../../src/postgres/engine/options.js"
import type { Repositories } from "../../src/repositories.js"
import { claimOf } from "../claim.js"
import { type OpenStore, openStore, sql, tagOf, tryToOpen, withLine, withStore } from "../postgres-store.js"

const at = new Date("2026-01-01T00:00:00Z")
const insertOnce = (name: string) =>
  Effect.map(
    Effect.flatMap(PetRepository, (pets) => pets.insertOnce({ name, categoryId: 1n, status: "available" }, claimOf(name))),
    ({ value }) => value,
  )
const find = (id: PetId) => Effect.flatMap(PetRepository, (pets) => pets.find(id))
const order = (id: PetId) => Effect.flatMap(OrderRepository, (orders) => orders.insert({ petId: id }, at))
const orderOnce = (id: PetId) =>
  Effect.map(
    Effect.flatMap(OrderRepository, (orders) => orders.insertOnce({ petId: id }, claimOf(`order of ${id}`))),
    ({ value }) => value,
  )
const close = (id: OrderId, closing: OrderClosing) => Effect.flatMap(OrderRepository, (orders) => orders.close(id, closing, at))

const insert = (name: string) => Effect.flatMap(PetRepository, (pets) => pets.insert({ name, categoryId: 1n }))
const list = Effect.flatMap(PetRepository, (pets) => pets.list({ status: Option.none(), after: Option.none(), limit: 1 }))
const ready = Effect.flatMap(Readiness, ({ check }) => check)

const outcomeOf = (store: OpenStore, effect: Effect.Effect<unknown, { readonly _tag: string }, Repositories>): Promise<string> =>
  store.run(tagOf(effect))

describe("while the connection to the server is unresponsive", () => {
  it("operations fail until the server responds again", async () => {
    const url = await newPostgresDatabase()
    const line = await openProxy(url)
    const unhurried = await openStore(url)
    const store = await openStore(line.url, { statementTimeoutMillis: 200 })
    try {
      const [pet, other] = [await unhurried.run(insertOnce("Ada")), await unhurried.run(insertOnce("Bello"))]
      const { id } = await unhurried.run(order(pet.id))
      const operations = [
        ready,
        list,
        insert("Coco"),
        insertOnce("Dino"),
        find(pet.id),
        orderOnce(other.id),
        close(id, "complete"),
      ]
      line.silence()
      const outcomes = await Promise.all(operations.map((effect) => outcomeOf(store, effect)))
      expect(new Set(outcomes)).toStrictEqual(new Set(["StorageUnavailable"]))
      line.resume()
      for (const effect of operations) await expect.poll(() => outcomeOf(store, effect)).toBe("success")
    } finally {
      await store.close()
      await unhurried.close()
      line.close()
    }
  })

  it("the store immediately refuses calls over the limit on waiting calls", () =>
    withLine(
      async (store, line) => {
        await store.run(list)
        line.silence()
        const asked = Array.from({ length: 1_024 + 2 * 16 + 1 }, () => outcomeOf(store, list))
        expect(await Promise.race(asked)).toBe("StorageUnavailable")
        // Waiting calls succeed, because only the unresponsive connection delayed them.
        line.resume()
        expect((await Promise.all(asked)).filter((outcome) => outcome === "success").length).toBeGreaterThanOrEqual(1_024)
      },
      { poolSize: 2 },
    ))

  it("the store immediately refuses inserts over the limit on waiting inserts", () =>
    withLine(async (store, line) => {
      await store.run(list)
      line.silence()
      const asked = Array.from({ length: 4_096 + 600 }, () => outcomeOf(store, insert("Ada")))
      expect(await Promise.race(asked)).toBe("StorageUnavailable")
      line.resume()
      expect((await Promise.all(asked)).filter((outcome) => outcome === "success").length).toBeGreaterThanOrEqual(4_096)
    }))
})

it("a store opens even if connecting takes longer than a request's timeout", async () => {
  const proxy = await openProxy(await newPostgresDatabase())
  try {
    proxy.silence()
    const opened = tryToOpen(proxy.url, { migrate: true })
    await sleep(1_500)
    proxy.resume()
    expect(await opened).toBe("opened")
  } finally {
    proxy.close()
  }
})

it("a store on an unreachable server does not open, and the error names the location without the password", async () => {
  const url = "postgres://operator:secret@127.0.0.1:1/petstore"
  const reason = await tryToOpen(url, { migrate: true })
  expect(reason).toContain("127.0.0.1:1/petstore")
  expect(reason).not.toContain("secret")
})

it("an import fails and keeps none of its pets if the connection is lost between two statements", () =>
  withStore(async (store, url) => {
    const others = "FROM pg_stat_activity WHERE datname = current_database() AND xact_start < now()"
    const endConnection = async () => {
      await sql(url, `SELECT pg_terminate_backend(pid) ${others}`)
      await expect.poll(() => sql(url, `SELECT pid ${others}`)).toStrictEqual([])
    }
    const batches = Stream.make("Ada", "Bello").pipe(
      Stream.mapEffect((name) =>
        Effect.as(name === "Bello" ? Effect.promise(endConnection) : Effect.void, [{ name, categoryId: 1n }]),
      ),
    )
    const all = Effect.flatMap(PetRepository, (pets) => pets.insertAll(batches))
    expect(await outcomeOf(store, all)).toBe("StorageUnavailable")
    expect(await store.run(list)).toStrictEqual([])
  }))

it("a store neither loses nor duplicates an acknowledged write when the server restarts under load", async () => {
  const server = await newPostgresServer()
  // Statements wait for the server until they time out.
  const store = await openStore(server.url, { statementTimeoutMillis: postgresDefaults.statementTimeoutMillis })
  try {
    const named: Array<string> = []
    const keyed = new Map<string, PetId>()
    const placed = new Map<OrderId, PetId>()
    const ended = new Map<OrderId, OrderClosing>()
    let refused = 0
    let goesOn = true
    let next = 0
    /** The result of a write, or `undefined` if the write was not acknowledged. */
    const answerOf = <A>(write: Effect.Effect<A, { readonly _tag: string }, Repositories>): Promise<A | undefined> =>
      store.run(
        Effect.catchAll(write, ({ _tag }) => {
          // Each worker orders only its own pets, so only an unacknowledged order explains another failure.
          if (_tag !== "StorageUnavailable")
            expect([_tag, "after an order that was not acknowledged"]).toContain("PetNotAvailable")
          refused += 1
          return Effect.succeed(undefined)
        }),
      )
    const worker = async () => {
      while (goesOn) {
        next += 1
        const [plain, once] = [`Pet ${next}`, `Pet ${next} under a key`]
        if ((await answerOf(insert(plain))) !== undefined) named.push(plain)
        const pet = (await answerOf(insertOnce(once))) ?? (await answerOf(insertOnce(once)))
        if (pet === undefined) continue
        keyed.set(once, pet.id)
        const made = next % 2 === 0 ? await answerOf(order(pet.id)) : await answerOf(orderOnce(pet.id))
        if (made === undefined) continue
        placed.set(made.id, pet.id)
        const closing = next % 3 === 0 ? "cancel" : "complete"
        if ((await answerOf(close(made.id, closing))) !== undefined) ended.set(made.id, closing)
      }
    }
    const workers = Array.from({ length: 16 }, worker)
    const moreEnded = async () => {
      const before = ended.size
      await expect.poll(() => ended.size).toBeGreaterThan(before + 50)
    }
    for (let restart = 0; restart < 2; restart += 1) {
      await moreEnded()
      await server.kill()
      const known = refused
      await expect.poll(() => refused).toBeGreaterThan(known)
      expect(await outcomeOf(store, ready)).toBe("StorageUnavailable")
      await server.start()
    }
    await moreEnded()
    goesOn = false
    await Promise.all(workers)

    const pets = await sql(server.url, "SELECT id, name, status FROM pets")
    const names = pets.map(({ name = "" }) => name)
    expect([...named, ...keyed.keys()].filter((name) => !names.includes(name))).toStrictEqual([])
    expect(new Set(names).size).toBe(names.length)
    const orders = await sql(server.url, "SELECT id, pet_id, status FROM orders")
    const statusOf = new Map(orders.map(({ id, status }) => [String(id), status]))
    expect([...placed.keys()].filter((id) => !statusOf.has(String(id)))).toStrictEqual([])
    for (const [id, closing] of ended) expect(statusOf.get(String(id))).toBe(closing === "complete" ? "completed" : "cancelled")
    // The test orders no pet twice, so the status of every pet that was created under a key matches the pet's order.
    expect(new Set(orders.map(({ pet_id: pet }) => pet)).size).toBe(orders.length)
    const orderOf = new Map(orders.map(({ pet_id: pet = "", status = "" }) => [pet, status]))
    const after: Readonly<Record<string, string>> = { placed: "pending", completed: "sold", cancelled: "available" }
    for (const { id = "", name = "", status } of pets) {
      if (name.endsWith("under a key")) expect(status).toBe(after[orderOf.get(id) ?? "cancelled"])
    }
  } finally {
    await store.close()
    await server.kill()
  }
})
