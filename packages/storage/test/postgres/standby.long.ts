/** A store does not acknowledge a write, even a repeated write, whose wait for a synchronous standby was cancelled. */
import { OrderRepository, PetId, PetRepository } from "@petstore/core"
import { newPostgresServer, type PostgresServer } from "@petstore/test/postgres"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Repositories } from "../../src/repositories.js"
import { claimOf } from "../claim.js"
import { type OpenStore, openStore, sql, tagOf } from "../postgres-store.js"

const at = new Date("2026-01-01T00:00:00Z")
const claim = claimOf("k")

let server: PostgresServer
let store: OpenStore

beforeAll(async () => {
  server = await newPostgresServer()
  store = await openStore(server.url)
})

afterAll(async () => {
  await store.close()
  await server.kill()
})

type Write = Effect.Effect<unknown, { readonly _tag: string }, Repositories>

const outcomeOf = (write: Write): Promise<string> => store.run(tagOf(write))

const pets = <A, E>(use: (repository: PetRepository["Type"]) => Effect.Effect<A, E>) => Effect.flatMap(PetRepository, use)
const orders = <A, E>(use: (repository: OrderRepository["Type"]) => Effect.Effect<A, E>) => Effect.flatMap(OrderRepository, use)

const insertPet = pets(({ insert }) => insert({ name: "Bello", categoryId: 1n, status: "available" }))

const setStandbys = async (names: string): Promise<void> => {
  await sql(server.url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
  await sql(server.url, "SELECT pg_reload_conf()")
}

const waiters = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

/** Runs a function while no standby confirms writes. */
const withoutStandby = async <A>(use: () => Promise<A>): Promise<A> => {
  await setStandbys("missing")
  try {
    // The setting reaches the server's processes with a delay, so this waits until a write is waiting.
    await expect
      .poll(async () => {
        void outcomeOf(insertPet)
        return (await sql(server.url, waiters)).length
      })
      .toBeGreaterThan(0)
    return await use()
  } finally {
    await setStandbys("")
  }
}

/** Runs a function while waits for a standby are cancelled as soon as they begin. */
const withCancelledWaits = <A>(use: () => Promise<A>): Promise<A> =>
  withoutStandby(async () => {
    let isOver = false
    const cancel = async (): Promise<void> => {
      while (!isOver) await sql(server.url, `SELECT pg_cancel_backend(pid) FROM (${waiters}) waiting`)
    }
    const cancelling = cancel()
    try {
      return await use()
    } finally {
      isOver = true
      await cancelling
    }
  })

/** The writes of pets and orders, by the subject of their title. */
const writes: Readonly<Record<string, () => Promise<Write>>> = {
  "creating a pet": async () => insertPet,
  "creating a pet under a key": async () => pets(({ insertOnce }) => insertOnce({ name: "Ada", categoryId: 1n }, claim)),
  "placing an order": async () => {
    const { id } = await store.run(insertPet)
    return orders(({ insert }) => insert({ petId: id }, at))
  },
  "placing an order under a key": async () => {
    const { id } = await store.run(insertPet)
    return orders(({ insertOnce }) => insertOnce({ petId: id }, { ...claim, operation: "POST order" }))
  },
  "closing an order": async () => {
    const { id } = await store.run(insertPet)
    const order = await store.run(orders(({ insert }) => insert({ petId: id }, at)))
    return orders(({ close }) => close(order.id, "complete", at))
  },
}

/** The writes that a client can safely repeat. */
const repeatable = ["creating a pet under a key", "placing an order under a key", "closing an order"]

for (const [what, prepare] of Object.entries(writes)) {
  it(`${what} is not acknowledged if the wait for a standby was cancelled`, async () => {
    const write = await prepare()
    expect(await withCancelledWaits(() => outcomeOf(write))).toBe("StorageUnavailable")
    if (!repeatable.includes(what)) return
    expect(await withCancelledWaits(() => outcomeOf(write))).toBe("StorageUnavailable")
    // Without a cancelled wait, the store acknowledges the repeated write.
    expect(await outcomeOf(write)).toBe("success")
  })
}

it("a write under a key fails within one operation's timeout, including its retries", () =>
  withoutStandby(async () => {
    const statementTimeoutMillis = 2_000
    const hurried = await openStore(server.url, { statementTimeoutMillis })
    try {
      const startMillis = performance.now()
      const write = pets(({ insertOnce }) => insertOnce({ name: "Coco", categoryId: 1n }, { ...claim, key: "l" }))
      expect(await hurried.run(Effect.map(Effect.flip(write), ({ _tag }) => _tag))).toBe("StorageUnavailable")
      // Retries with separate timeouts would take five times as long. The rest is an allowance for a busy machine.
      expect(performance.now() - startMillis).toBeLessThan(4 * statementTimeoutMillis)
    } finally {
      await hurried.close()
    }
  }))

it("a store reports a missing pet even without a standby, because nothing was written", () =>
  expect(withCancelledWaits(() => outcomeOf(orders(({ insert }) => insert({ petId: PetId.make(-1n) }, at))))).resolves.toBe(
    "PetNotFound",
  ))

it("creating a pet is not acknowledged if the wait was cancelled, even if the database hides warnings", async () => {
  await sql(server.url, `ALTER DATABASE ${new URL(server.url).pathname.slice(1)} SET client_min_messages = 'error'`)
  const hushed = await openStore(server.url)
  try {
    expect(await withCancelledWaits(() => hushed.run(tagOf(insertPet)))).toBe("StorageUnavailable")
  } finally {
    await hushed.close()
  }
})
