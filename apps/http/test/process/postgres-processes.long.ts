/** Several service processes on one PostgreSQL database. Each sees the others' writes, and all of them survive a store outage. */
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, type Environment, environmentOf, petstore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { newPostgresDatabase, newPostgresServer, statementsOf } from "@petstore/test/postgres"
import { afterEach, expect, it } from "vitest"

const stagingOn = (url: string, more: Environment = {}): Environment =>
  environmentOf({ DATABASE_URL: url, LOG_LEVEL: "silent", PETSTORE_ENV: "staging", ...more })

const services: Array<Service> = []

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()))
})

const start = async (environment: Environment): Promise<string> => {
  const serving = await startService(environment)
  services.push(serving)
  return serving.baseUrl
}

const callerOf = (key: string) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  return {
    create: (base: string, name: string, more: Readonly<Record<string, string>> = {}) =>
      fetch(`${base}/pets`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify({ name, categoryId: 1 }) }),
    get: (base: string, path: string) => fetch(`${base}${path}`, { headers }),
  }
}

const statusOf = async (reply: Promise<Response>): Promise<number> => {
  const response = await reply
  await response.text()
  return response.status
}

it("concurrent processes migrate the schema only once", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  const environment = stagingOn(url, { POSTGRES_APPLICATION_NAME: "migrating" })
  const migrated = await Promise.all(Array.from({ length: 5 }, () => petstore(environment, "migrate")))
  expect(migrated).toStrictEqual(Array.from({ length: 5 }, () => ({ migrated: true })))
  const statements = await statementsOf(url, "migrating")
  expect(statements.filter((statement) => statement.includes("CREATE TABLE IF NOT EXISTS pets ("))).toHaveLength(1)
})

it("a service with MIGRATE=off does not start until petstore migrate has created the schema", async () => {
  const environment = stagingOn(await newPostgresDatabase(), { MIGRATE: "off" })
  await expect(startService(environment)).rejects.toThrow("petstore migrate")
  await petstore(environment, "migrate")
  await start(environment)
})

it("every process sees the other processes' writes, and refuses a revoked key", async () => {
  const environment = stagingOn(await newPostgresDatabase())
  await petstore(environment, "accounts", "create", "caller")
  const { id, key } = await createKey(environment, "caller")
  const [one, other] = [await start(environment), await start(environment)]
  const { create, get } = callerOf(key)

  const created = await create(one, "Bello")
  const pet = await created.text()
  expect(created.status).toBe(201)
  expect(await (await get(other, created.headers.get("location")?.slice("/v1".length) ?? "")).text()).toBe(pet)
  expect(await (await get(other, "/pets")).text()).toBe(`[${pet}]`)

  const once = { "idempotency-key": "one-and-only" }
  const responses = await Promise.all(
    [one, other, one, other].map((base) => create(base, "Ada", once).then((response) => response.text())),
  )
  const pets = new Set(responses.filter((reply) => reply.includes('"name":"Ada"')))
  expect(pets.size).toBe(1)
  expect(await (await create(other, "Ada", once)).text()).toBe([...pets][0])
  expect(JSON.parse(await (await get(one, "/pets")).text())).toHaveLength(2)

  await petstore(environment, "keys", "revoke", id)
  for (const base of [one, other]) {
    // The specification promises 5 s. If the key is never refused, the test's own time limit ends this loop.
    while ((await statusOf(get(base, "/pets"))) === 200) await sleep(50)
    expect(await statusOf(get(base, "/pets"))).toBe(401)
  }
})

it("a service responds with 503 while the store is down, and serves again afterwards without a restart", async () => {
  const server = await newPostgresServer()
  // Statements wait for the server until their timeout.
  const environment = stagingOn(server.url, { POSTGRES_STATEMENT_TIMEOUT_MS: "1500" })
  await petstore(environment, "accounts", "create", "caller")
  const { key } = await createKey(environment, "caller")
  const base = await start(environment)
  const ready = new URL("/readyz", base).href
  const { create, get } = callerOf(key)
  await expect.poll(() => statusOf(create(base, "Bello"))).toBe(201)
  await expect.poll(() => statusOf(fetch(ready))).toBe(200)

  await server.kill()
  const refused = await Promise.all([create(base, "Ada"), get(base, "/pets"), fetch(ready)])
  expect(refused.map(({ status }) => status)).toStrictEqual([503, 503, 503])
  expect(refused.map((response) => response.headers.get("retry-after"))).toStrictEqual(["1", "1", "1"])
  expect(JSON.parse((await refused[0]?.text()) ?? "")).toMatchObject({ code: "storage_unavailable", status: 503 })
  expect(await statusOf(fetch(new URL("/healthz", base)))).toBe(200)

  await server.start()
  await expect.poll(() => statusOf(fetch(ready))).toBe(200)
  await expect.poll(() => statusOf(create(base, "Coco"))).toBe(201)
  await expect.poll(async () => (await get(base, "/pets")).text()).toMatch(/"Bello".*"Coco"/)
  await server.kill()
})
