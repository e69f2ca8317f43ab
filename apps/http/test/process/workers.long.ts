/** Several processes on one port and one PostgreSQL database: their start, their replacement, their limits and their end. */
import { readdirSync } from "node:fs"
import { Caller, get, until } from "@petstore/harness/caller"
import { type Environment, environmentOf, run } from "@petstore/harness/command"
import { startLoad } from "@petstore/harness/load"
import { isRunning, suspend } from "@petstore/harness/processes"
import type { Service } from "@petstore/harness/serving"
import { serve } from "@petstore/harness/testing"
import { newPostgresDatabase, newPostgresServer } from "@petstore/test/postgres"
import { describe, expect, it } from "vitest"
import { startCallers } from "../restarts.js"

const untilTwo = (service: Service, isOther = (_pid: number): boolean => true): Promise<void> =>
  service.until(() => service.workerPids().length === 2 && service.workerPids().every(isOther), "two workers")

/** Starts a service with two workers, and waits until both serve. */
const twoWorkers = async (settings: Environment = {}): Promise<Service> => {
  const DATABASE_URL = settings["DATABASE_URL"] ?? (await newPostgresDatabase())
  const service = await serve(environmentOf({ WORKERS: "2", ADMIN_PORT: "0", ...settings, DATABASE_URL }))
  await service.until(async () => (await workersIn(service)).length === 2, "both workers")
  return service
}

const metricsOf = async (service: Service): Promise<string> =>
  (await fetch(/Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? "")).text()

/** The workers that have responded to requests. */
const workersIn = async (service: Service): Promise<ReadonlyArray<string>> => {
  await statusesOf(service, "/healthz")
  const responded = /^petstore_http_requests_total\{operation="healthz",status="200",worker="(\d+)"\}/gm
  return [...(await metricsOf(service)).matchAll(responded)].map(([, worker = ""]) => worker)
}

const statusesOf = async (service: Service, path: string, count = 8): Promise<ReadonlySet<number>> => {
  const headers = { Authorization: `Bearer ${service.key}`, Connection: "close" }
  const responses = Array.from({ length: count }, () => fetch(new URL(path, service.baseUrl), { headers }))
  return new Set((await Promise.all(responses)).map(({ status }) => status))
}

/** Log lines at level error or fatal. */
const faults = (service: Service) => service.logLines().filter(({ level }) => level === "error" || level === "fatal")

const unexpectedExit = "a worker exited unexpectedly"

describe("a service with WORKERS=2", () => {
  it("prints its address once, creates one key, and replaces a killed worker", async () => {
    const service = await twoWorkers()
    expect(service.stdout.match(/is served at/g)).toHaveLength(1)
    expect(service.stdout.match(/shown once/g)).toHaveLength(1)
    const [victim = 0] = service.workerPids()
    process.kill(victim, "SIGKILL")
    await untilTwo(service, (pid) => pid !== victim)
    expect(service.logLines()).toContainEqual(
      expect.objectContaining({ level: "error", workerPid: victim, end: "SIGKILL", msg: unexpectedExit }),
    )
    expect(await statusesOf(service, "/readyz")).toEqual(new Set([200]))
    // The series of the new worker are its own.
    await service.until(async () => (await workersIn(service)).join() === "2,3", "metrics of the new worker")
  })

  it("makes a second service report in one line that the port is in use", async () => {
    const service = await twoWorkers()
    const { port } = new URL(service.baseUrl)
    const environment = environmentOf({
      DATABASE_URL: await newPostgresDatabase(),
      WORKERS: "2",
      PORT: port,
      LOG_LEVEL: "silent",
    })
    const { exitCode, stderr } = await run(environment, "serve")
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `petstore: 127.0.0.1:${port} is in use by another program. Set PORT or HOST to another address.\n`,
    })
  })

  it("applies a key's rate limit across its workers", async () => {
    const service = await twoWorkers({ RATE_LIMIT: "20" })
    const statuses = []
    for (let sent = 0; sent < 30; sent += 1) {
      const headers = { Authorization: `Bearer ${service.key}`, Connection: "close" }
      statuses.push((await fetch(`${service.baseUrl}/pets`, { headers })).status)
    }
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(10).fill(429)])
    expect(await metricsOf(service)).toMatch(/operation="listPets",status="429",worker="1"[\s\S]*status="429",worker="2"/)
  })

  it("loses no connection to a worker that stops", async () => {
    const service = await twoWorkers({ LOG_LEVEL: "error" })
    const callers = startCallers(service, 8)
    for (const _ of [1, 2, 3]) {
      const sent = callers.sent()
      await service.until(() => callers.sent() > sent + 200, "the load")
      const [leaver = 0] = service.workerPids()
      process.kill(leaver, "SIGTERM")
      await untilTwo(service, (pid) => pid !== leaver)
      await service.until(async () => (await workersIn(service)).length === 2, "both workers")
    }
    expect(await callers.stop()).toEqual([])
    expect(await callers.compare(service)).toEqual([])
  })

  it("goes on without its database and with a killed worker, and serves with two workers once the database responds", async () => {
    const server = await newPostgresServer()
    const service = await twoWorkers({ DATABASE_URL: server.url, LOG_LEVEL: "error", POSTGRES_STATEMENT_TIMEOUT_MS: "1500" })
    await server.kill()
    const [victim = 0, survivor = 0] = service.workerPids()
    process.kill(victim, "SIGKILL")
    await service.until(() => /get 503 until/.test(service.stderr), "the new worker to wait")
    await untilTwo(service, (pid) => pid !== victim)
    expect(await statusesOf(service, "/v1/pets")).toEqual(new Set([503]))
    expect(await statusesOf(service, "/healthz")).toEqual(new Set([200]))
    await server.start()
    await expect.poll(() => statusesOf(service, "/v1/pets"), { timeout: 20_000 }).toEqual(new Set([200]))
    expect(service.workerPids()).toContain(survivor)
    expect(service.logLines().filter(({ msg }) => msg === unexpectedExit)).toHaveLength(1)
    await service.stop()
    await server.kill()
  })

  it("ends with code 1 if it loses all workers, so that a supervisor restarts it", async () => {
    const service = await twoWorkers()
    for (const pid of service.workerPids()) process.kill(pid, "SIGKILL")
    expect(await service.ended).toEqual({ code: 1, signal: null })
  })

  it("stops its workers on SIGTERM under load, acknowledges every stored write and exits with code 0", async () => {
    const url = await newPostgresDatabase()
    const service = await twoWorkers({ DATABASE_URL: url, LOG_LEVEL: "warn" })
    const callers = startCallers(service, 8)
    await service.until(() => callers.sent() > 200, "the load")
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    // A later connection is refused, or reset while it waits to be accepted. No client gets half a response.
    const problems = await callers.stop()
    expect(problems.filter((problem) => !problem.includes("; received 0 bytes"))).toEqual([])
    expect(faults(service)).toEqual([])
    expect(service.stderr).toBe("")
    const again = await serve(environmentOf({ DATABASE_URL: url }))
    expect(await callers.compare(again)).toEqual([])
  })

  it.for([["SIGTERM"], ["SIGINT"]] as const)("stops on a %s to all of its processes", async ([signal]) => {
    const service = await twoWorkers()
    for (const pid of [...service.workerPids(), service.pid]) process.kill(pid, signal)
    expect(await service.ended).toEqual({ code: 0, signal: null })
    expect(faults(service)).toEqual([])
  })

  it("exits soon after SHUTDOWN_MS even if a worker is stuck", async () => {
    const service = await twoWorkers({ SHUTDOWN_MS: "3000" })
    const [stuck = 0] = service.workerPids()
    process.kill(stuck, "SIGSTOP")
    const toldAt = performance.now()
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    // SHUTDOWN_MS plus time for a busy machine, and less than the default. A worker that is not killed would stay forever.
    expect(performance.now() - toldAt).toBeLessThan(9_000)
  })

  it("exits together with its workers on the second signal, or if the primary is killed", async () => {
    for (const [signals, code] of [
      [["SIGTERM", "SIGINT"], 1],
      [["SIGKILL"], null],
    ] as const) {
      const service = await twoWorkers({ SHUTDOWN_MS: "60000" })
      const load = startLoad(service.baseUrl, service.key, 2, 100)
      await service.until(() => load.answered() > 2, "the load")
      const pids = service.workerPids()
      for (const signal of signals) service.signal(signal)
      expect((await service.ended).code).toBe(code)
      await load.stop()
      await expect.poll(() => pids.filter(isRunning)).toEqual([])
    }
  })

  it("disconnects the client whose connection was in transfer to a killed worker, and keeps no descriptor of it", async () => {
    const service = await twoWorkers()
    const descriptors = () => readdirSync(`/proc/${service.pid}/fd`).length
    const [victim = 0] = service.workerPids()
    const before = descriptors()
    await suspend(victim)
    const callers = await Promise.all(Array.from({ length: 8 }, () => Caller.open(Number(new URL(service.baseUrl).port))))
    for (const caller of callers) caller.send(get("/healthz", "Connection: close"))
    const ended = () => callers.filter(({ socket }) => socket.readableEnded || socket.closed).length
    await until(() => ended() === callers.length - 1, "the responses of the other worker")
    process.kill(victim, "SIGKILL")
    await until(() => ended() === callers.length, "the end of the last connection")
    await untilTwo(service, (pid) => pid !== victim)
    await expect.poll(descriptors).toBeLessThanOrEqual(before)
  })

  it("keeps every acknowledged pet if workers are killed under load, and responds to new connections", async () => {
    const service = await twoWorkers({ LOG_LEVEL: "fatal" })
    const callers = startCallers(service, 8)
    for (const _ of [1, 2, 3]) {
      const sent = callers.sent()
      await service.until(() => callers.sent() > sent + 50, "the load")
      const [victim = 0] = service.workerPids()
      process.kill(victim, "SIGKILL")
      await untilTwo(service, (pid) => pid !== victim)
      await service.until(async () => (await workersIn(service)).length === 2, "both workers")
    }
    await callers.stop()
    expect((await callers.compare(service)).filter((difference) => difference.startsWith("lost"))).toEqual([])
    expect(await statusesOf(service, "/v1/pets", 32)).toEqual(new Set([200]))
  })
})
