/** The metrics on `ADMIN_PORT`, from one process and from several. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { Client } from "@petstore/harness/client"
import { type Environment, environmentIn, petstore, run, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { lockStore } from "./locked-store.js"

const metricsUrl = (service: Service): string => /Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? ""

/** The values of a scrape's samples, by name and labels. */
const scrape = async (service: Service): Promise<ReadonlyMap<string, number>> => {
  const response = await fetch(metricsUrl(service), { headers: { Connection: "close" } })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]))
}

/** Waits for the second worker. A scrape fails if a worker that starts, on a busy machine, has not answered after 5 s. */
const untilBothWorkers = (service: Service): Promise<void> =>
  service.until(async () => {
    const response = await fetch(metricsUrl(service), { headers: { Connection: "close" } })
    return (await response.text()).includes('process_resident_memory_bytes{worker="2"}')
  }, "both workers")

const start = (settings: Readonly<Record<string, string>> = {}) =>
  serve(environmentIn(temporaryFolder(), { ADMIN_PORT: "0", LOG_LEVEL: "silent", ...settings }))

/** Several workers need PostgreSQL. */
const storeFor = async (workers: string) => (workers === "1" ? {} : { DATABASE_URL: await newPostgresDatabase() })

describe("GET /metrics", () => {
  it("counts requests, store calls and group commits, and deprecated and rate-limited calls", async () => {
    const service = await start({ RATE_LIMIT: "5" })
    using client = new Client(service.baseUrl, service.key)
    await client.send({ method: "POST", body: `{"name":"Bello","categoryId":1}` })
    await client.send({})
    await client.send({ path: "/pets/1" })
    await client.send({ path: "/pets/2" })
    await client.send({ path: "/pets/2", authorization: ["Bearer no key"] })
    for (let sent = 0; sent < 3; sent += 1) await client.send({ path: "/pets?limit=1" })

    const metrics = await scrape(service)
    expect(metrics.get('petstore_http_requests_total{operation="createPet",status="201"}')).toBe(1)
    expect(metrics.get('petstore_http_requests_total{operation="listPets",status="200"}')).toBe(2)
    expect(metrics.get('petstore_http_requests_total{operation="listPets",status="429"}')).toBe(2)
    expect(metrics.get('petstore_http_requests_total{operation="getPet",status="404"}')).toBe(1)
    expect(metrics.get('petstore_http_requests_total{operation="getPet",status="401"}')).toBe(1)
    expect(metrics.get('petstore_http_request_duration_seconds_count{operation="getPet",status="200"}')).toBe(1)
    expect(metrics.get("petstore_http_requests_in_flight")).toBe(0)
    expect(metrics.get('petstore_deprecated_calls_total{operation="getPet"}')).toBe(2)
    expect(metrics.get('petstore_rate_limited_calls_total{operation="listPets"}')).toBe(2)
    expect(metrics.get('petstore_store_call_duration_seconds_count{call="pets.insert"}')).toBe(1)
    expect(metrics.get('petstore_store_call_duration_seconds_count{call="pets.find"}')).toBe(2)
    expect(metrics.get("petstore_store_group_commit_writes_count")).toBeGreaterThanOrEqual(1)
    expect(metrics.get("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0)
    expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(0)
    expect([...metrics.keys()].join("\n")).not.toContain("pst_dev_")
  })

  it("counts errors from an unavailable store", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { ADMIN_PORT: "0", LOG_LEVEL: "silent" }))
    const lock = lockStore(folder)
    using client = new Client(service.baseUrl, service.key)
    const { status } = await client.send({ method: "POST", body: `{"name":"a","categoryId":1}` })
    lock.close()
    expect(status).toBe(503)
    expect((await scrape(service)).get('petstore_store_errors_total{call="pets.insert"}')).toBe(1)
  })

  it("counts a client that disconnects before its response is sent", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { ADMIN_PORT: "0", LOG_LEVEL: "silent" }))
    const lock = lockStore(folder)
    const body = `{"name":"a","categoryId":1}`
    const head = ["POST /v1/pets HTTP/1.1", "Host: a", `Authorization: Bearer ${service.key}`, "Content-Type: application/json"]
    const caller = connect(Number(new URL(service.baseUrl).port), "127.0.0.1")
    caller.write([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"))
    await service.until(async () => (await scrape(service)).get("petstore_http_requests_in_flight") === 1, "the request")
    // A client that closes only its sending side may still read, so the test resets the connection.
    caller.resetAndDestroy()
    const abandoned = 'petstore_http_requests_abandoned_total{operation="createPet"}'
    await service.until(async () => (await scrape(service)).get(abandoned) === 1, "the abandoned request")
    const numbers = await scrape(service)
    expect(numbers.get('petstore_http_connections_closed_total{reason="client_disconnected"}')).toBe(1)
    expect(numbers.get('petstore_http_requests_unanswered_total{reason="client_disconnected",kind="write"}')).toBe(1)
    lock.close()
  })

  it("reports each worker's counts separately", async () => {
    const service = await start({ WORKERS: "2", DATABASE_URL: await newPostgresDatabase() })
    await untilBothWorkers(service)
    await service.until(async () => {
      await fetch(new URL("/healthz", service.baseUrl), { headers: { Connection: "close" } })
      const metrics = await scrape(service)
      return ["1", "2"].every(
        (worker) => (metrics.get(`petstore_http_requests_total{operation="healthz",status="200",worker="${worker}"}`) ?? 0) > 0,
      )
    }, "work on both workers")
    const metrics = await scrape(service)
    for (const worker of ["1", "2"]) {
      expect(metrics.get(`process_resident_memory_bytes{worker="${worker}"}`)).toBeGreaterThan(0)
      expect(metrics.get(`petstore_store_pool{of="connections",worker="${worker}"}`)).toBeGreaterThan(0)
    }
  })

  it("tells the bytes of the store's file, of its log and of its disk", async () => {
    const service = await start()
    using client = new Client(service.baseUrl, service.key)
    const bytes = async (of: string) => (await scrape(service)).get(`petstore_store_bytes{of="${of}"}`)
    const [before = Number.NaN] = [await bytes("log")]
    for (let sent = 0; sent < 30; sent += 1) await client.send({ method: "POST", body: `{"name":"Bello","categoryId":1}` })
    expect(await bytes("log")).toBeGreaterThan(before)
    expect(await bytes("file")).toBeGreaterThan(4_096)
    expect(await bytes("free")).toBeGreaterThan(1_000_000)
  })

  it("counts requests per account, and separately those without a valid key", async () => {
    const service = await start()
    using client = new Client(service.baseUrl, service.key)
    for (let sent = 0; sent < 3; sent += 1) await client.send({})
    await client.send({ authorization: ["Bearer no key"] })
    const accounts = [...(await scrape(service))].filter(([name]) => name.startsWith("petstore_account_requests_total"))
    expect(accounts).toEqual([
      [expect.stringMatching(/^petstore_account_requests_total\{account="acc_\w+"\}$/), 3],
      ['petstore_account_requests_total{account="none"}', 1],
    ])
  })
})

describe("GET /metrics with several processes", () => {
  const store = new TemporaryStore()
  let service: Service
  let environment: Environment
  beforeAll(async () => {
    environment = { ...store.environment, DATABASE_URL: await newPostgresDatabase() }
    service = await startService({ ...environment, ADMIN_PORT: "0", WORKERS: "2" })
    await untilBothWorkers(service)
  })
  afterAll(async () => {
    await service?.kill()
    store.remove()
  })

  it("tells how many keys expire soon, once for all workers, until they have successors", async () => {
    const expiring = async () => [...(await scrape(service))].filter(([name]) => name.startsWith("petstore_keys_expiring"))
    const name = 'petstore_keys_expiring{deployment="development"}'
    await petstore(environment, "keys", "create", "--account", "development", "--expires-in", "15d")
    expect(await expiring()).toEqual([[name, 0]])
    const { id } = await petstore(environment, "keys", "create", "--account", "development", "--expires-in", "13d")
    expect(await expiring()).toEqual([[name, 1]])
    await petstore(environment, "keys", "rotate", String(id))
    expect(await expiring()).toEqual([[name, 1]])
    await petstore(environment, "keys", "create", "--account", "development")
    expect(await expiring()).toEqual([[name, 0]])
  })

  it("reports one number of pets per status for all workers, and updates it after creations and orders", async () => {
    using client = new Client(service.baseUrl, service.key)
    for (const status of ["available", "available", "sold", undefined]) {
      await client.send({ method: "POST", body: JSON.stringify({ name: "Bello", categoryId: 1, status }) })
    }
    await client.send({ method: "POST", path: "/store/orders", body: `{"petId":1}` })
    const pets = [...(await scrape(service))].filter(([name]) => name.startsWith("petstore_pets"))
    expect(pets).toEqual([
      ['petstore_pets{status="available"}', 1],
      ['petstore_pets{status="pending"}', 1],
      ['petstore_pets{status="sold"}', 1],
      ['petstore_pets{status="none"}', 1],
    ])
  })

  it("reports which release each process runs, and on which Node.js version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    const builds = [...(await scrape(service))].filter(([name]) => name.startsWith("petstore_build_info"))
    const ofProcess = (worker: string) => [
      `petstore_build_info{version="${version}",node="${process.version}",worker="${worker}"}`,
      1,
    ]
    expect(builds.toSorted()).toEqual(["1", "2"].map(ofProcess))
  })
})

describe("the server on ADMIN_PORT", () => {
  const store = new TemporaryStore()
  let service: Service
  beforeAll(async () => {
    service = await startService({ ...store.environment, ADMIN_PORT: "0" })
  })
  afterAll(async () => {
    await service?.kill()
    store.remove()
  })

  it("responds with 404 to other paths, and with 405 to methods other than GET", async () => {
    const at = (path: string, method = "GET") => fetch(new URL(path, metricsUrl(service)), { method })
    expect((await at("/")).status).toBe(404)
    expect((await at("/v1/pets")).status).toBe(404)
    expect((await at("/metrics", "POST")).status).toBe(405)
  })

  it.each(["1", "2"])("reports health and readiness while every API connection is in use, with WORKERS=%s", async (WORKERS) => {
    const one = await start({ ...(await storeFor(WORKERS)), CONNECTION_LIMIT: "1", WORKERS })
    const at = async (path: string) => {
      const received = await fetch(new URL(path, metricsUrl(one)))
      return [received.status, await received.text(), received.headers.get("retry-after")]
    }
    expect(await at("/healthz")).toEqual([200, '{"status":"ok"}', null])
    expect(await at("/readyz")).toEqual([200, '{"status":"ready"}', null])
    const { hostname, port } = new URL(one.baseUrl)
    const held = connect(Number(port), hostname)
    await once(held, "connect")
    held.write("GET /v1/pets HTTP/1.1\r\n")
    // The service would close an idle connection.
    const sending = setInterval(() => held.write("A: b\r\n"), 100)
    onTestFinished(() => {
      clearInterval(sending)
      held.destroy()
    })
    one.signal("SIGTERM")
    await one.until(async () => (await at("/readyz"))[0] === 503, "the service to stop")
    const [, body, retryAfter] = await at("/readyz")
    expect([JSON.parse(String(body)).code, retryAfter]).toEqual(["service_stopping", "1"])
    expect(await at("/healthz")).toEqual([200, '{"status":"ok"}', null])
  })

  it("reports in one line that its port is in use", async () => {
    const { port } = new URL(metricsUrl(service))
    for (const WORKERS of ["1", "2"]) {
      const environment = environmentIn(temporaryFolder(), { ...(await storeFor(WORKERS)), ADMIN_PORT: port, WORKERS })
      const { exitCode, stderr } = await run(environment, "serve")
      const expected = `petstore: 127.0.0.1:${port} is in use by another program. Set ADMIN_PORT or ADMIN_HOST to another address.\n`
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expected })
    }
  })

  it("is the only server that serves /metrics", async () => {
    expect((await fetch(new URL("/metrics", service.baseUrl))).status).toBe(404)
  })
})
