/** The statements of orders on PostgreSQL, and what they do while another transaction or a broken connection interferes. */
import { type IdempotencyClaim, OrderRepository, PetId, PetRepository } from "@petstore/core"
import { statementsOf } from "@petstore/test/postgres"
import { Effect, Option } from "effect"
import { Client } from "pg"
import { expect, it } from "vitest"
import { claimOf } from "../claim.js"
import { sql, tagOf, withClient, withLine, withStore } from "../postgres-store.js"

const at = new Date("2026-01-01T00:00:00.123Z")
const later = new Date("2026-01-01T00:00:01.456Z")

const insertPet = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Bello", categoryId: 1n, status: "available" }))
const statusOf = (id: PetId) =>
  Effect.map(
    Effect.flatMap(PetRepository, (pets) => pets.find(id)),
    (pet) => Option.getOrThrow(pet).status,
  )
const order = (id: PetId) => Effect.flatMap(OrderRepository, (orders) => orders.insert({ petId: id }, at))
const orderOnce = (id: PetId, claim: IdempotencyClaim) =>
  Effect.map(
    Effect.flatMap(OrderRepository, (orders) => orders.insertOnce({ petId: id }, claim)),
    ({ value }) => value,
  )
const close = (id: bigint, how: "complete" | "cancel") =>
  Effect.flatMap(OrderRepository, (orders) => orders.close(id as never, how, later))

it("the store resolves many orders for one pet with few statements", () =>
  withStore(
    async (store, url) => {
      const pet = await store.run(insertPet)
      const outcomesOf = (id: PetId) => Promise.all(Array.from({ length: 200 }, () => store.run(tagOf(order(id)))))
      expect(await outcomesOf(pet.id)).toStrictEqual(["success", ...Array.from({ length: 199 }, () => "PetNotAvailable")])
      expect(new Set(await outcomesOf(PetId.make(99n)))).toStrictEqual(new Set(["PetNotFound"]))
      // A later order does not wait for an order that is already done.
      expect(await store.run(tagOf(order(pet.id)))).toBe("PetNotAvailable")
      const sent = (await statementsOf(url, "petstore")).filter((statement) => statement.includes("INSERT INTO orders"))
      expect(sent).toHaveLength(2 + 2 + 1)
    },
    { logsStatements: true },
  ))

it("the store lets orders for other pets overtake orders that wait for one pet", () =>
  withStore(async (store, url) => {
    const [one, other] = [await store.run(insertPet), await store.run(insertPet)]
    // The pool opens another connection only when all connections are busy.
    await Promise.all(Array.from({ length: 100 }, () => store.run(statusOf(one.id))))
    const locker = new Client({ connectionString: url })
    await locker.connect()
    await locker.query(`BEGIN; UPDATE pets SET name = name WHERE id = ${one.id}`)
    const held = Array.from({ length: 300 }, () => store.run(tagOf(order(one.id))))
    try {
      expect(await store.run(tagOf(order(other.id)))).toBe("success")
    } finally {
      // Rolls back the transaction, which releases the lock.
      await locker.end()
    }
    const outcomes = await Promise.all(held)
    expect(outcomes.filter((outcome) => outcome === "success")).toHaveLength(1)
    expect(new Set(outcomes)).toStrictEqual(new Set(["success", "PetNotAvailable"]))
  }))

it("the store sends only two queries before it refuses an order under a claim", () =>
  withStore(
    async (store, url) => {
      const pet = await store.run(insertPet)
      await store.run(order(pet.id))
      expect(await store.run(tagOf(orderOnce(pet.id, claimOf("k"))))).toBe("PetNotAvailable")
      expect(await store.run(tagOf(orderOnce(PetId.make(99n), claimOf("l"))))).toBe("PetNotFound")
      const sent = (await statementsOf(url, "petstore")).filter((statement) => /FROM pets|idempotency_keys/.test(statement))
      const ofClaims = sent
        .filter((statement) => /^execute [^:]+: (?:WITH pet|UPDATE idempotency_keys)/.test(statement))
        .slice(-4)
      expect(ofClaims.map((statement) => statement.includes("WITH pet"))).toStrictEqual([true, false, true, false])
    },
    { logsStatements: true },
  ))

it("the store closes an order that another transaction commits during the lookup", () =>
  withLine((store, line, url) =>
    withClient(url, async (placer) => {
      const pet = await store.run(insertPet)
      await placer.query(`BEGIN; UPDATE pets SET status = 'pending' WHERE id = ${pet.id};
      INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (77, ${pet.id}, 'placed', 0, 0)`)
      line.onNext("WITH closed", () => {
        queueMicrotask(line.silence)
        return "pass"
      })
      const outcome = store.run(tagOf(close(77n, "complete")))
      // The order is committed after the statement that did not see it, and before that statement's result arrives.
      const closing = `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'WITH closed%' AND state = 'idle'`
      await expect.poll(async () => (await sql(url, closing)).length).toBe(1)
      await placer.query("COMMIT")
      line.resume()
      expect(await outcome).toBe("success")
      expect((await sql(url, "SELECT status FROM orders"))[0]?.["status"]).toBe("completed")
      expect(await store.run(statusOf(pet.id))).toBe("sold")
    }),
  ))

it("the store returns the placed order even if the connection breaks before the result arrives", () =>
  withLine(async (store, line, url) => {
    const pet = await store.run(insertPet)
    line.onNext("INSERT INTO orders", () => {
      queueMicrotask(line.silence)
      return "pass"
    })
    const outcome = store.run(orderOnce(pet.id, claimOf("k")))
    await expect.poll(async () => (await sql(url, "SELECT id FROM orders")).length).toBe(1)
    line.cut()
    line.resume()
    expect((await outcome).petId).toBe(pet.id)
    expect(await sql(url, "SELECT id FROM orders")).toHaveLength(1)
  }))
