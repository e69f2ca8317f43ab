/** A PostgreSQL server that stops while it runs statements: what the service and the client say about the changes (7.15). */
import { createClient } from "@petstore/client"
import { createKey, environmentOf, petstore } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { newPostgresServer } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it, onTestFinished } from "vitest"

const openClient = async (connectionString: string): Promise<Client> => {
  const client = new Client({ connectionString })
  client.on("error", () => {}) // The server stops.
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it.each([
  ["is suspended", "freeze"],
  ["is killed", "kill"],
] as const)(
  "a server that %s in mid-statement leaves open whether three changes happened, and their failures say so",
  async (_how, stop) => {
    const server = await newPostgresServer()
    const environment = environmentOf({ DATABASE_URL: server.url, LOG_LEVEL: "silent", POSTGRES_STATEMENT_TIMEOUT_MS: "3000" })
    await petstore(environment, "accounts", "create", "caller")
    const { key } = await createKey(environment, "caller")
    const { baseUrl, origin } = await serve(environment)
    const client = createClient({ baseUrl, apiKey: key, maxRetries: 0, timeout: 60_000, attemptTimeout: 60_000 })
    const { value: pet, etag } = await client.createPet({ name: "Bello", categoryId: 1n, status: "available" })
    const { value: other } = await client.createPet({ name: "Rex", categoryId: 1n, status: "available" })

    const locking = await openClient(server.url)
    const watching = await openClient(server.url)
    await locking.query("BEGIN")
    await locking.query("LOCK TABLE pets IN EXCLUSIVE MODE")
    const changes = [
      client.createPet({ name: "Ada", categoryId: 1n }, { idempotencyKey: "ada" }),
      client.correctPet(pet.id, { name: "Bellow" }, { ifMatch: etag }),
      client.orders.create({ petId: other.id }, { idempotencyKey: "order" }),
    ].map((change) => change.then(String, (thrown: Error) => thrown.message))
    const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    await expect.poll(async () => (await watching.query(waiting)).rows, { timeout: 2_500 }).toEqual([{ n: changes.length }])
    await server[stop]()

    const [created, corrected, ordered] = await Promise.all(changes)
    for (const message of [created, ordered]) {
      expect(message).toContain("It may have been stored. Send it again with the same Idempotency-Key")
      expect(message).toContain("repeating the call with the error's idempotencyKey never creates a second one.")
    }
    expect(corrected).toContain("The change may have happened, and then its condition no longer holds: read the")
    await (stop === "freeze" ? server.thaw() : server.start())
    await expect.poll(async () => (await fetch(new URL("/readyz", origin))).status, { timeout: 20_000 }).toBe(200)
    await locking.query("ROLLBACK").catch(() => {}) // After the crash, nothing holds the lock.

    const { id } = (await client.createPet({ name: "Ada", categoryId: 1n }, { idempotencyKey: "ada" })).value
    const { value: order } = await client.orders.create({ petId: other.id }, { idempotencyKey: "order" })
    expect(order.petId).toBe(other.id)
    const [ada, ...more] = (await client.listPets({ name: "Ada" })).value.items
    expect([ada?.id, more]).toEqual([id, []])
    expect(["Bello", "Bellow"]).toContain((await client.getPet(pet.id)).value.name)
  },
)
