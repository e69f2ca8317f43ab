/** The service sends the same bytes on PostgreSQL and SQLite, except for times, rate limits and generated identifiers. */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { declareConformance, type Target } from "@petstore/conformance/testing"
import { TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { afterAll, beforeAll, expect, it } from "vitest"
import { prepareStore, triedElsewhere } from "./conformance-target.js"
import { type Mirror, openMirror } from "./mirror.js"

const waiting = "conformance.test.ts and citus-conformance.long.ts: the mirror sends no request while another one waits"

const store = new TemporaryStore()
const services: Array<Service> = []
let mirror: Mirror
let target: Target
let postgresPort: number

const serve = async (environment: TemporaryStore["environment"]) => {
  const prepared = await prepareStore(environment)
  const serving = await startService(environment)
  services.push(serving)
  const keys = [prepared.key, ...Object.values(prepared.given)]
  return { port: Number(new URL(serving.baseUrl).port), prepared, keys }
}

beforeAll(async () => {
  const onPostgres = await serve({ ...store.environment, DATABASE_URL: await newPostgresDatabase() })
  postgresPort = onPostgres.port
  const onSqlite = await serve(store.environment)
  mirror = await openMirror(onPostgres.port, onSqlite.port, (sent) =>
    onPostgres.keys.reduce((text, key, index) => text.replaceAll(key, onSqlite.keys[index] ?? ""), sent),
  )
  target = { ...onPostgres.prepared, baseUrl: `http://127.0.0.1:${mirror.port}/v1` }
})

afterAll(async () => {
  await mirror?.close()
  for (const service of services) await service.stop()
  store.remove()
})

declareConformance("the service on PostgreSQL", () => target, {
  elsewhere: {
    ...triedElsewhere,
    "16.30": waiting,
    "16.33": waiting,
    "16.26": "conformance.test.ts and citus-conformance.long.ts: the order of the changes of different pets is each store's own",
    "4.2.44":
      "conformance.test.ts: a service that refuses a body early may reset the connection before the mirror has read its response",
  },
})

// This test follows the suite, because it compares the suite's exchanges.
it("the service on PostgreSQL responds to every request in the suite as on SQLite, except for times and ids", async () => {
  await mirror.close()
  expect(mirror.compared()).toBeGreaterThan(100)
  expect(mirror.differences).toStrictEqual([])
})

it("the service on PostgreSQL responds to a client that has already closed its sending side (10.36)", async () => {
  const body = `{"name":"Bello","categoryId":1}`
  const head = ["POST /v1/pets HTTP/1.1", "Host: a", `Authorization: Bearer ${target.key}`, "Content-Type: application/json"]
  const socket = connect({ port: postgresPort, host: "127.0.0.1", allowHalfOpen: true })
  socket.end([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"))
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 [\s\S]*"name":"Bello"/)
})
