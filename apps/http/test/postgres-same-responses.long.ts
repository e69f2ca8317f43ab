/** The service sends the same responses on PostgreSQL and SQLite, byte for byte, throughout the HTTP suite. */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { declareConformance, type Target } from "@petstore/conformance/testing"
import { createKey, petstore, TemporaryStore, until } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { afterAll, beforeAll, expect, it } from "vitest"
import { triedElsewhere } from "./conformance-target.js"
import { type Mirror, openMirror } from "./mirror.js"

const store = new TemporaryStore()
const services: Array<Service> = []
let mirror: Mirror
let target: Target
let postgresPort: number

/** A service on its own store, with the suite's keys. */
const serve = async (environment: TemporaryStore["environment"]) => {
  await petstore(environment, "accounts", "create", "first")
  await petstore(environment, "accounts", "create", "second")
  const expiring = await createKey(environment, "first", "--expires-in", "1s")
  const [{ key }, second, revoked, readOnly] = [
    await createKey(environment, "first"),
    await createKey(environment, "second"),
    await createKey(environment, "first"),
    await createKey(environment, "first", "--read-only"),
  ]
  await petstore(environment, "keys", "revoke", revoked.id)
  const serving = await startService(environment)
  services.push(serving)
  await until(expiring.expiresAt ?? new Date())
  return {
    port: Number(new URL(serving.baseUrl).port),
    keys: [key, second.key, revoked.key, expiring.key, readOnly.key] as const,
  }
}

beforeAll(async () => {
  const onPostgres = await serve({ ...store.environment, DATABASE_URL: await newPostgresDatabase() })
  postgresPort = onPostgres.port
  const onSqlite = await serve(store.environment)
  mirror = await openMirror(onPostgres.port, onSqlite.port, (sent) =>
    onPostgres.keys.reduce((text, key, index) => text.replaceAll(key, onSqlite.keys[index] ?? ""), sent),
  )
  const [key, secondKey, revokedKey, expiredKey, readOnlyKey] = onPostgres.keys
  target = {
    baseUrl: `http://127.0.0.1:${mirror.port}/v1`,
    key,
    write: true,
    given: { secondKey, revokedKey, expiredKey, readOnlyKey },
  }
})

afterAll(async () => {
  await mirror?.close()
  for (const service of services) await service.stop()
  store.remove()
})

declareConformance("the service on PostgreSQL", () => target, {
  elsewhere: {
    ...triedElsewhere,
    "4.2.44":
      "conformance.test.ts: a service that refuses a body early may reset the connection before the mirror has read its response",
  },
})

// This test is last because it checks the exchanges of the tests above.
it("responds to every request in the suite as on SQLite, byte for byte", async () => {
  await mirror.close()
  expect(mirror.compared()).toBeGreaterThan(100)
  expect(mirror.differences).toStrictEqual([])
})

it("responds to a client that has already closed its sending side (10.36)", async () => {
  const body = `{"name":"Bello","categoryId":1}`
  const head = ["POST /v1/pets HTTP/1.1", "Host: a", `Authorization: Bearer ${target.key}`, "Content-Type: application/json"]
  const socket = connect({ port: postgresPort, host: "127.0.0.1", allowHalfOpen: true })
  socket.end([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"))
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 [\s\S]*"name":"Bello"/)
})
