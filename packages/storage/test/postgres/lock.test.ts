/** A statement that waits for a PostgreSQL row delays only statements for that row. */
import { OrderRepository, type PetId, PetRepository, type StorageUnavailable } from "@petstore/core"
import { Effect } from "effect"
import { Client } from "pg"
import { expect, it } from "vitest"
import { withStore } from "../postgres-store.js"

const insert = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Bello", categoryId: 1n, status: "available" }))
const find = (id: PetId) => Effect.flatMap(PetRepository, (pets) => pets.find(id))
const order = (id: PetId): Effect.Effect<string, StorageUnavailable, OrderRepository> =>
  Effect.flatMap(OrderRepository, (orders) => orders.insert({ petId: id }, new Date(0))).pipe(
    Effect.as("placed"),
    Effect.catchTags({ PetNotAvailable: ({ _tag }) => Effect.succeed(_tag), PetNotFound: ({ _tag }) => Effect.succeed(_tag) }),
  )

for (const [what, poolSize, locked] of [
  ["one row is locked", 10, 1],
  ["as many rows are locked as the pool has connections", 4, 4],
  ["one row is locked and the pool has two connections", 2, 1],
] as const) {
  it(`a store still serves other pets while ${what}`, () =>
    withStore(
      async (store, url) => {
        const pets = await Promise.all(Array.from({ length: locked + 1 }, () => store.run(insert)))
        const [free, ...wanted] = pets
        if (free === undefined) throw new Error("unreachable")
        // Load makes the pool grow.
        await Promise.all(Array.from({ length: 200 }, () => store.run(find(free.id))))
        const locker = new Client({ connectionString: url })
        await locker.connect()
        await locker.query(`BEGIN; UPDATE pets SET name = name WHERE id IN (${wanted.map(({ id }) => id).join()})`)
        // Some reads are in flight when the orders are sent, and others are sent after them.
        const answered: Array<string> = []
        const note = (name: string) => () => void answered.push(name)
        const before = Array.from({ length: 30 }, () => store.run(find(free.id)).then(note("read")))
        const orders = wanted.map(({ id }) => store.run(order(id)).then(note("order")))
        const after = Array.from({ length: 30 }, () => store.run(find(free.id)).then(note("read")))
        await Promise.all([...before, ...after])
        for (let round = 0; round < 20; round += 1) await store.run(find(free.id)).then(note("read"))
        if (poolSize > locked + 1) await store.run(insert)
        expect(new Set(answered)).toStrictEqual(new Set(["read"]))
        await locker.query("COMMIT")
        await locker.end()
        await Promise.all(orders)
      },
      // The timeout is longer than the test, so that no statement timeout ends a wait.
      { poolSize, statementTimeoutMillis: 20_000 },
    ))
}
