/** Tests how several processes serve one port (sentence 15.4), and how the primary replaces them. */
import { connect } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { environmentIn, run, TemporaryStore } from "@petstore/harness/command"
import { everyPetId, startLoad } from "@petstore/harness/load"
import { type Service, startService } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startCallers } from "../restarts.js"
import { faults, messages, replaced, replacing, twoWorkers } from "../two-workers.js"

const count = (service: Service, message: string): number => messages(service).filter((msg) => msg === message).length

describe("an idle service with WORKERS=2", () => {
  const store = new TemporaryStore()
  let service: Service
  beforeAll(async () => {
    service = await startService({ ...store.environment, WORKERS: "2", LOG_LEVEL: "info" })
  })
  afterAll(async () => {
    await service?.kill()
    store.remove()
  })

  it("prints its address once, and creates one key", () => {
    expect(service.stdout.match(/is served at/g)).toHaveLength(1)
    expect(service.stdout.match(/shown once/g)).toHaveLength(1)
    expect(service.workerPids()).toHaveLength(2)
  })

  it("makes a second service report in one line that the port is in use", async () => {
    const { port } = new URL(service.baseUrl)
    const { exitCode, stderr } = await run(environmentIn(temporaryFolder(), { WORKERS: "2", PORT: port }), "serve")
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `petstore: 127.0.0.1:${port} is in use by another program. Set PORT or HOST to another address.\n`,
    })
  })

  it("replaces a killed worker, and logs the replacement", async () => {
    const [victim = 0] = service.workerPids()
    process.kill(victim, "SIGKILL")
    await service.until(() => messages(service).includes("a worker exited unexpectedly and is being replaced"), "the log line")
    await service.until(() => service.workerPids().length === 2 && !service.workerPids().includes(victim), "a new worker")
    expect(service.logLines()).toContainEqual(expect.objectContaining({ level: "error", workerPid: victim, end: "SIGKILL" }))
    const responses = await Promise.all(Array.from({ length: 8 }, () => fetch(new URL("/readyz", service.baseUrl))))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })
})

describe("a service with WORKERS=2", () => {
  it("replaces its workers one at a time on SIGHUP, without a failed request or a lost pet under load", async () => {
    const service = await twoWorkers({ SHUTDOWN_MS: "3000" })
    const before = service.workerPids()
    const load = startLoad(service.baseUrl, service.key, 12, 10)
    await service.until(() => load.answered() > 100, "the load")

    service.signal("SIGHUP")
    await service.until(() => messages(service).includes(replacing), "the first replacement to begin")
    service.signal("SIGHUP")
    await service.until(() => count(service, replaced) === 2, "both replacements")

    const settled = load.answered()
    await service.until(() => load.answered() > settled + 100, "more load on the new workers")
    const { created, failures } = await load.stop()
    expect(failures).toEqual([])
    const kept = await everyPetId(service.baseUrl, service.key)
    expect(created.filter((id) => !kept.has(id))).toEqual([])
    expect(kept.size).toBe(created.length)

    const after = service.workerPids()
    expect(after).toHaveLength(2)
    expect(after.filter((pid) => before.includes(pid))).toEqual([])
    // The replacements ran one after another: each began after the previous one had finished.
    const order = messages(service).filter((msg) => msg === replaced || msg === replacing)
    expect(order).toEqual([replacing, replaced, replacing, replaced])
    expect(faults(service)).toEqual([])
  })

  it("replaces a worker that gets SIGTERM, without losing a connection", async () => {
    const service = await twoWorkers({ SHUTDOWN_MS: "3000" })
    const callers = startCallers(service, 8)
    await service.until(() => callers.sent() > 200, "the load")
    const [leaver = 0] = service.workerPids()
    process.kill(leaver, "SIGTERM")
    await service.until(() => service.workerPids().length === 2 && !service.workerPids().includes(leaver), "a new worker")
    expect(await callers.stop()).toEqual([])
    expect(await callers.compare(service)).toEqual([])
  })

  it("keeps the old workers if the new ones cannot start", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { WORKERS: "2", DATABASE_URL: `sqlite:${folder}/petstore.db` }))
    const before = service.workerPids()
    const file = new DatabaseSync(`${folder}/petstore.db`)
    file.exec("PRAGMA user_version = 1000")
    file.close()
    service.signal("SIGHUP")
    await service.until(
      () => messages(service).includes("the new worker did not start: the old workers keep running"),
      "the log line",
    )
    expect(service.workerPids()).toEqual(before)
    expect((await fetch(new URL("/readyz", service.baseUrl))).status).toBe(200)
  })

  it("closes connections beyond CONNECTION_LIMIT that wait for a worker, and counts them", async () => {
    const service = await twoWorkers({ CONNECTION_LIMIT: "3", ADMIN_PORT: "0" })
    const metrics = /Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? ""
    const workers = service.workerPids()
    for (const pid of workers) process.kill(pid, "SIGSTOP")
    let closed = 0
    const callers = Array.from({ length: 10 }, () => {
      const onClose = () => {
        closed += 1
      }
      return connect(Number(new URL(service.baseUrl).port), "127.0.0.1")
        .resume()
        .on("error", () => {})
        .on("close", onClose)
    })
    await service.until(() => closed === 7, "the closed connections")
    for (const pid of workers) process.kill(pid, "SIGCONT")
    expect(await (await fetch(metrics)).text()).toMatch(
      /^petstore_http_connections_closed_total\{reason="connection_limit",worker="primary"\} 7$/m,
    )
    for (const caller of callers) caller.destroy()
  })

  it("applies a key's rate limit across its workers", async () => {
    const service = await twoWorkers({ RATE_LIMIT: "20" })
    const statuses = []
    for (let sent = 0; sent < 30; sent += 1) {
      const response = await fetch(`${service.baseUrl}/pets`, {
        headers: { Authorization: `Bearer ${service.key}`, Connection: "close" },
      })
      await response.arrayBuffer()
      statuses.push(response.status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  })
})
