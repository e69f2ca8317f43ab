/** A change to rows on several Citus nodes is atomic, and the store acknowledges the change only when all of it is visible. */
import { type OrderId, OrderRepository, type PetId, PetRepository } from "@petstore/core"
import { openProxy } from "@petstore/harness/proxy"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openAsPooler } from "./as-pooler.js"
import { newSpreadDatabase } from "./citus-store.js"
import { claimOf } from "./claim.js"
import { ifDurable, type OpenStore, openStore, sql, tagOf, tryToOpen, tryToTake, withClient } from "./postgres-store.js"

const at = new Date("2026-01-01T00:00:00Z")
const bello = { name: "Bello", categoryId: 7n, status: "available" } as const

const insert = Effect.flatMap(PetRepository, (pets) => pets.insert(bello))
const insertOnce = (key: string) =>
  Effect.map(
    Effect.flatMap(PetRepository, (pets) => pets.insertOnce(bello, claimOf(key))),
    ({ value }) => value,
  )
const order = (pet: PetId) => Effect.flatMap(OrderRepository, (orders) => orders.insert({ petId: pet }, at))
const orderOnce = (pet: PetId, key: string) =>
  Effect.map(
    Effect.flatMap(OrderRepository, (orders) => orders.insertOnce({ petId: pet }, claimOf(key))),
    ({ value }) => value,
  )
const cancel = (id: OrderId) => Effect.flatMap(OrderRepository, (orders) => orders.close(id, "cancel", at))

/** Runs statements on the node that stores a value's row, and runs other work between them. */
const onNodeOf = async (
  url: string,
  table: string,
  value: string,
  ...steps: ReadonlyArray<(shard: string) => string | Promise<void>>
) => {
  const [place] = await sql(
    url,
    `SELECT shard_name, nodeport FROM citus_shards WHERE table_name = '${table}'::regclass
      AND shardid = get_shard_id_for_distribution_column('${table}', '${value}')`,
  )
  const node = new URL(url)
  node.port = place?.["nodeport"] ?? ""
  node.username = "postgres"
  await withClient(node.href, async (client) => {
    await client.query("SET citus.enable_manual_changes_to_shards = on")
    for (const step of steps) {
      const text = await step(place?.["shard_name"] ?? "")
      if (text !== undefined) await client.query(text)
    }
  })
}

describe("a statement that changes two nodes", () => {
  it("is committed in two phases, so that the failure of a node cannot lose half of the change", async () => {
    const url = await newSpreadDatabase()
    /** For each connection, the statements that Citus sends to the nodes at the end of transactions. */
    const said: Array<{ text: string }> = []
    const line = await openProxy(url, () => {
      const heard = { text: "" }
      said.push(heard)
      return {
        ofServer: (bytes) => {
          heard.text += bytes.toString("latin1")
          return bytes
        },
      }
    })
    const settings = encodeURIComponent("-c client_min_messages=notice -c citus.log_remote_commands=on")
    const store = await openStore(`${line.url}?options=${settings}`)
    // Discards what opening the store sent: opening only reads from two nodes, which needs no second phase.
    for (const heard of said) heard.text = ""
    try {
      for (let round = 0; round < 24; round += 1) {
        const { id } = await store.run(insert)
        await store.run(Effect.flatMap(order(id), (placed) => cancel(placed.id)))
        await store.run(Effect.flatMap(orderOnce(id, `order ${round}`), (placed) => cancel(placed.id)))
        await store.run(insertOnce(`pet ${round}`))
      }
      const transactions = said.flatMap(({ text }) => {
        const sent = text.match(/issuing (?:BEGIN|COMMIT(?: PREPARED)?|PREPARE)\b/g)?.map((each) => each.slice(8)) ?? []
        return sent.join().match(/(?:BEGIN,)+(?!BEGIN).+?(?=,BEGIN|$)/g) ?? []
      })
      const kinds = new Set(transactions.map((each) => each.replaceAll("BEGIN,", "")))
      expect(kinds).toContain("PREPARE,PREPARE,COMMIT PREPARED,COMMIT PREPARED")
      expect([...kinds].filter((kind) => /COMMIT,/.test(kind))).toStrictEqual([])
    } finally {
      await store.close()
      line.close()
    }
  })
})

describe("a commit that a worker's standby did not confirm", () => {
  // Deferred, because a server sends this warning at the end of a transaction, when Citus forwards fewer messages.
  const unconfirmed = `CREATE FUNCTION unconfirmed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE WARNING 'canceling wait for synchronous replication due to user request'; RETURN NEW; END $$`

  it("is not acknowledged", async () => {
    const url = await newSpreadDatabase()
    const store = await openStore(url)
    try {
      const { id } = await store.run(insert)
      await onNodeOf(
        url,
        "pets",
        String(id),
        () => "SET citus.enable_ddl_propagation = off",
        () => unconfirmed,
        (shard) =>
          `CREATE CONSTRAINT TRIGGER unconfirmed AFTER UPDATE ON ${shard} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION unconfirmed()`,
      )
      expect(await store.run(Effect.flip(order(id)))).toMatchObject({ _tag: "StorageUnavailable" })
    } finally {
      await store.close()
    }
  })

  it("is reported through poolers, because a store opens only behind a pooler that forwards the warning", async () => {
    const url = await newSpreadDatabase()
    const pooler = await openAsPooler(url)
    try {
      expect(await tryToOpen(url, ifDurable)).toBe("opened")
      expect(await tryToOpen(pooler.url, ifDurable)).toContain("runs with client_min_messages = notice")
      expect(await tryToOpen(`${pooler.url}?options=-c%20client_min_messages%3Ddebug1`, ifDurable)).toBe("opened")
    } finally {
      pooler.close()
    }
  })
})

describe("a schema change that waits for a lock on a node", () => {
  it("lets other statements run between its attempts until the lock is released", async () => {
    const url = await newSpreadDatabase()
    const outcomes: Array<Promise<string>> = []
    await onNodeOf(
      url,
      "pets",
      "1",
      () => "BEGIN",
      (shard) => `LOCK ${shard} IN ACCESS SHARE MODE`,
      async () => {
        outcomes.push(tryToTake(url, ["ALTER TABLE pets ADD COLUMN IF NOT EXISTS colour text"]))
        const altering = "SELECT 1 FROM citus_stat_activity WHERE query LIKE 'ALTER TABLE pets%' AND state = 'active'"
        await expect.poll(async () => (await sql(url, altering)).length, { interval: 20 }).toBeGreaterThan(0)
        expect(await sql(`${url}?statement_timeout=2500`, "SELECT id FROM pets WHERE id = 1")).toStrictEqual([])
      },
    )
    expect(await Promise.all(outcomes)).toStrictEqual(["migrated"])
  })
})

describe("a committed change that is not yet visible on one node", () => {
  /** A node has a single list of prepared transactions for all its databases, so the name includes the database. */
  const nameOf = (url: string): string => `held on ${new URL(url).pathname}`
  const hold = (url: string) => () => `PREPARE TRANSACTION '${nameOf(url)}'`
  const release = (url: string, table: string, value: string) =>
    onNodeOf(url, table, value, () => `COMMIT PREPARED '${nameOf(url)}'`)

  /** Turns an existing row into a row whose insert is only prepared. */
  const holdInsert = (url: string, table: string, column: string, value: string) =>
    onNodeOf(
      url,
      table,
      value,
      (shard) => `CREATE TABLE held AS SELECT * FROM ${shard} WHERE ${column} = '${value}'`,
      (shard) => `DELETE FROM ${shard} WHERE ${column} = '${value}'`,
      () => "BEGIN",
      (shard) => `INSERT INTO ${shard} SELECT * FROM held`,
      hold(url),
    )

  /** Turns the last change to a pet's status into a change that is only prepared. */
  const holdStatus = (url: string, id: PetId, from: string, to: string) =>
    onNodeOf(
      url,
      "pets",
      String(id),
      (shard) => `UPDATE ${shard} SET status = '${from}' WHERE id = ${id}`,
      () => "BEGIN",
      (shard) => `UPDATE ${shard} SET status = '${to}' WHERE id = ${id}`,
      hold(url),
    )

  const onSpreadStore = async (use: (store: OpenStore, url: string) => Promise<void>): Promise<void> => {
    const url = await newSpreadDatabase()
    const store = await openStore(url, { statementTimeoutMillis: 1_000 })
    try {
      await use(store, url)
    } finally {
      await store.close()
    }
  }

  it("is not acknowledged when a client repeats a create request under the same key", () =>
    onSpreadStore(async (store, url) => {
      const { id } = await store.run(insertOnce("k"))
      await holdInsert(url, "pets", "id", String(id))
      expect(await store.run(tagOf(insertOnce("k")))).toBe("StorageUnavailable")
      await release(url, "pets", String(id))
      expect(await store.run(insertOnce("k"))).toMatchObject({ ...bello, id })
    }))

  it("occupies only a few connections, and only briefly, however often clients repeat the create request", () =>
    onSpreadStore(async (store, url) => {
      const { id } = await store.run(insertOnce("k"))
      await holdInsert(url, "pets", "id", String(id))
      const waiting = async () =>
        (
          await sql(
            url,
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO pets (id,%'",
          )
        ).length
      const outcomes = Promise.all(Array.from({ length: 20 }, () => store.run(tagOf(insertOnce("k")))))
      await expect.poll(waiting, { interval: 20 }).toBeGreaterThan(0)
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(await waiting()).toBeLessThanOrEqual(3)
      expect(new Set(await outcomes)).toStrictEqual(new Set(["StorageUnavailable"]))
      await expect.poll(waiting, { timeout: 4_000 }).toBe(0)
      await release(url, "pets", String(id))
    }))

  it("is not acknowledged when a client repeats an order whose own row is not visible", () =>
    onSpreadStore(async (store, url) => {
      const { id: pet } = await store.run(insert)
      const { id } = await store.run(orderOnce(pet, "k"))
      await holdInsert(url, "orders", "id", String(id))
      expect(await store.run(tagOf(orderOnce(pet, "k")))).toBe("StorageUnavailable")
      await release(url, "orders", String(id))
      expect(await store.run(orderOnce(pet, "k"))).toMatchObject({ id, petId: pet, status: "placed" })
    }))

  it("is not acknowledged when a client repeats an order whose change to the pet is not visible", () =>
    onSpreadStore(async (store, url) => {
      const { id: pet } = await store.run(insert)
      const { id } = await store.run(orderOnce(pet, "k"))
      await holdStatus(url, pet, "available", "pending")
      expect(await store.run(tagOf(orderOnce(pet, "k")))).toBe("StorageUnavailable")
      await release(url, "pets", String(pet))
      expect(await store.run(orderOnce(pet, "k"))).toMatchObject({ id, petId: pet, status: "placed" })
    }))

  it("does not cause PetNotAvailable when a client repeats the order that reserved the pet", () =>
    onSpreadStore(async (store, url) => {
      const { id: pet } = await store.run(insert)
      const { id } = await store.run(orderOnce(pet, "k"))
      await holdInsert(url, "idempotency_keys", "key", "k")
      expect(await store.run(tagOf(orderOnce(pet, "k")))).toBe("StorageUnavailable")
      await release(url, "idempotency_keys", "k")
      expect(await store.run(orderOnce(pet, "k"))).toMatchObject({ id, petId: pet, status: "placed" })
      // The failed requests do not block a later one.
      for (const _ of [1, 2]) expect(await store.run(tagOf(orderOnce(pet, "other")))).toBe("PetNotAvailable")
      await store.run(cancel(id))
      expect(await store.run(orderOnce(pet, "other"))).toMatchObject({ petId: pet, status: "placed" })
    }))

  it("is not acknowledged when a client repeats the request to close an order", () =>
    onSpreadStore(async (store, url) => {
      const { id: pet } = await store.run(insert)
      const { id } = await store.run(order(pet))
      await store.run(cancel(id))
      await holdStatus(url, pet, "pending", "available")
      expect(await store.run(tagOf(cancel(id)))).toBe("StorageUnavailable")
      await release(url, "pets", String(pet))
      expect(await store.run(cancel(id))).toMatchObject({ id, status: "cancelled" })
    }))
})
