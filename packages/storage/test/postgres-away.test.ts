/** A PostgreSQL store that is away, silent or restarted: callers are answered, nothing acknowledged is lost, and it recovers by itself. */
import { PetRepository, Readiness } from "@petstore/core"
import { newPostgresDatabase, newPostgresServer } from "@petstore/test/postgres"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { lineTo } from "./line.js"
import { type OpenStore, openStore, sql, tryToOpen } from "./postgres-store.js"

const insert = (name: string) => Effect.flatMap(PetRepository, (pets) => pets.insert({ name, categoryId: 1n }))
const list = Effect.flatMap(PetRepository, (pets) => pets.list({ status: Option.none(), after: Option.none(), limit: 1 }))
const ready = Effect.flatMap(Readiness, ({ check }) => check)

type Outcome = "success" | "StorageUnavailable"

const outcomeOf = (
  store: OpenStore,
  effect: Effect.Effect<unknown, { readonly _tag: "StorageUnavailable" }, PetRepository | Readiness>,
) =>
  store.run(
    effect.pipe(
      Effect.as<Outcome>("success"),
      Effect.catchAll(({ _tag }) => Effect.succeed<Outcome>(_tag)),
    ),
  )

describe("while the line to the store is silent", () => {
  it("every operation fails, and all work again when it speaks", async () => {
    const line = await lineTo(await newPostgresDatabase())
    const store = await openStore(line.url, { statementTimeoutMillis: 200 })
    try {
      await store.run(list)
      line.silence()
      const outcomes = await Promise.all([ready, list, insert("Ada")].map((effect) => outcomeOf(store, effect)))
      expect(outcomes).toStrictEqual(["StorageUnavailable", "StorageUnavailable", "StorageUnavailable"])
      line.resume()
      for (const effect of [ready, list, insert("Bello")]) {
        await expect.poll(() => outcomeOf(store, effect)).toBe("success")
      }
    } finally {
      await store.close()
      line.close()
    }
  })

  it("more callers than may wait are refused at once", async () => {
    const line = await lineTo(await newPostgresDatabase())
    const store = await openStore(line.url, { statementTimeoutMillis: 500, poolSize: 2 })
    try {
      await store.run(list)
      line.silence()
      const waiting = Promise.all(Array.from({ length: 1_024 + 2 * 16 }, () => outcomeOf(store, list)))
      const order: Array<string> = []
      await Promise.all([
        waiting.then(() => order.push("those that wait")),
        outcomeOf(store, list).then((outcome) => order.push(`one more: ${outcome}`)),
      ])
      expect(order).toStrictEqual(["one more: StorageUnavailable", "those that wait"])
    } finally {
      await store.close()
      line.close()
    }
  })

  it("more creates than may wait are refused at once", async () => {
    const line = await lineTo(await newPostgresDatabase())
    const store = await openStore(line.url, { statementTimeoutMillis: 500 })
    try {
      await store.run(list)
      line.silence()
      const waiting = Promise.all(Array.from({ length: 4_096 + 2 * 256 }, () => outcomeOf(store, insert("Ada"))))
      const order: Array<string> = []
      // The first groups leave in a turn of the event loop of their own.
      await new Promise((resolve) => setTimeout(resolve, 50))
      const more = Array.from({ length: 600 }, () => outcomeOf(store, insert("Bello")))
      await Promise.all([
        waiting.then(() => order.push("those that wait")),
        Promise.race(more).then((outcome) => order.push(`one more: ${outcome}`)),
      ])
      expect(order).toStrictEqual(["one more: StorageUnavailable", "those that wait"])
      await Promise.all(more)
    } finally {
      await store.close()
      line.close()
    }
  })
})

it("refuses to open a store that is not there, and says where without the password", async () => {
  const url = "postgres://somebody:secret@127.0.0.1:1/petstore"
  const reason = await tryToOpen(url, true)
  expect(reason).toContain("127.0.0.1:1/petstore")
  expect(reason).not.toContain("secret")
})

it("a restart in the middle of load loses no acknowledged pet and doubles none", async () => {
  const server = await newPostgresServer()
  const store = await openStore(server.url)
  try {
    const acknowledged: Array<string> = []
    const refused: Array<string> = []
    let goesOn = true
    let next = 0
    const worker = async () => {
      while (goesOn) {
        next += 1
        const name = `Pet ${next}`
        const outcome = await outcomeOf(store, insert(name))
        if (outcome === "success") acknowledged.push(name)
        else refused.push(name)
      }
    }
    const workers = Array.from({ length: 16 }, worker)
    for (let restart = 0; restart < 2; restart += 1) {
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(before + 200)
      await server.kill()
      const known = refused.length
      await expect.poll(() => refused.length, { timeout: 10_000 }).toBeGreaterThan(known)
      expect(await outcomeOf(store, ready)).toBe("StorageUnavailable")
      await server.start()
    }
    const before = acknowledged.length
    await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(before + 200)
    goesOn = false
    await Promise.all(workers)

    const found = new Map<string, number>()
    for (const { name = "" } of await sql(server.url, "SELECT name FROM pets")) found.set(name, (found.get(name) ?? 0) + 1)
    expect(acknowledged.filter((name) => !found.has(name))).toStrictEqual([])
    expect([...found].filter(([, times]) => times > 1)).toStrictEqual([])
  } finally {
    await store.close()
    await server.kill()
  }
})

it("a create whose wait for a standby was cancelled is not acknowledged", async () => {
  const server = await newPostgresServer()
  const store = await openStore(server.url)
  try {
    await store.run(insert("Ada"))
    await sql(server.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    await sql(server.url, "SELECT pg_reload_conf()")
    const waiters = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    // The setting reaches the server's processes in a moment; a create that slips through is a success, rightly.
    let outcome: Promise<Outcome> = outcomeOf(store, insert("Slipped through"))
    await expect
      .poll(async () => {
        const waiting = (await sql(server.url, waiters)).length
        if (waiting === 0) outcome = outcomeOf(store, insert("Bello"))
        return waiting
      })
      .toBeGreaterThan(0)
    await sql(server.url, `SELECT pg_cancel_backend(pid) FROM (${waiters}) waiting`)
    expect(await outcome).toBe("StorageUnavailable")
  } finally {
    await store.close()
    await server.kill()
  }
})
