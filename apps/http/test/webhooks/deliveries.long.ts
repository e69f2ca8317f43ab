/** Changes reach webhooks, in order and signed, on each engine. */
import { verifyWebhook } from "@petstore/client"
import { environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { accept, openReceiver } from "./receiver.js"

const stores = { SQLite: (folder: string) => `sqlite:${folder}/petstore.db`, PostgreSQL: () => newPostgresDatabase() }

const newEnvironment = async (storeIn: (folder: string) => string | Promise<string>) => {
  const folder = temporaryFolder()
  return environmentIn(folder, { DATABASE_URL: await storeIn(folder) })
}

type Environment = Awaited<ReturnType<typeof newEnvironment>>

const petstore = async (environment: Environment, ...args: ReadonlyArray<string>) => {
  const { exitCode, stdout, stderr } = await run(environment, ...args, "--json")
  if (exitCode !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const creator =
  ({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }) =>
  async (name: string) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    const body = JSON.stringify({ name, categoryId: 1 })
    expect((await fetch(`${baseUrl}/pets`, { method: "POST", headers, body })).status).toBe(201)
  }

describe.each(Object.entries(stores))("webhooks on %s", (_, storeIn) => {
  it("get every change after their registration, in order, each verified by the library of the standard", async () => {
    const environment = await newEnvironment(storeIn)
    const service = await serve(environment)
    const create = creator(service)
    await create("before")
    const receiver = await openReceiver()
    const { id, secret } = await petstore(environment, "webhooks", "add", receiver.url)
    const names = Array.from({ length: 20 }, (_, index) => `Pet ${index}`)
    for (const name of names) await create(name)
    await expect.poll(receiver.names, { timeout: 10_000 }).toStrictEqual(names)
    for (const { payload, headers, id: changeId, name } of receiver.received) {
      // Safe: the library reads these headers only.
      const event = new Webhook(secret).verify(payload, headers as Record<string, string>)
      expect(event).toMatchObject({ type: "createPet", data: { id: changeId, after: { pet: { name } } } })
      expect((await verifyWebhook(payload, headers, secret)).data).toMatchObject({ id: changeId, after: { pet: { name } } })
      expect(changeId).not.toContain(".")
    }
    const deliveries = await petstore(environment, "webhooks", "deliveries", id)
    expect(deliveries).toHaveLength(20)
    expect(deliveries[0]).toMatchObject({ change: receiver.received.at(-1)?.id, outcome: "delivered", status: 204, tries: 1 })
    await petstore(environment, "webhooks", "redeliver", id, receiver.received[3]?.id ?? "")
    await expect.poll(() => receiver.names().at(-1), { timeout: 5_000 }).toBe("Pet 3")
  })

  it("go on after kill -9 of the service, without a loss", async () => {
    const environment = await newEnvironment(storeIn)
    const first = await serve(environment)
    const receiver = await openReceiver()
    await petstore(environment, "webhooks", "add", receiver.url)
    receiver.respondWith((response, received, count) => {
      // The service dies after the response and, with luck, before the note of it.
      accept(response, received, count)
      if (count === 3) first.signal("SIGKILL")
    })
    const names = ["a", "b", "c", "d", "e"]
    const create = creator(first)
    for (const name of names) await create(name).catch(() => {})
    await expect.poll(() => first.isRunning, { timeout: 10_000 }).toBe(false)
    const second = await serve(environment)
    await creator({ baseUrl: second.baseUrl, key: first.key })("last")
    await expect.poll(() => receiver.names().at(-1), { timeout: 50_000 }).toBe("last")
    const once = [...new Set(receiver.names())]
    expect(once).toStrictEqual([...names, "last"].filter((name) => once.includes(name)))
    expect(once.slice(0, 3)).toStrictEqual(["a", "b", "c"])
    expect(receiver.received.length - once.length).toBeLessThanOrEqual(1)
  })
})
