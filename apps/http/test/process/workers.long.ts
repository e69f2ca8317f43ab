/** A service with several workers under stress: restarts (sentence 15.4), kills, floods, slow clients and upgrades. */
import { once } from "node:events"
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { environmentIn } from "@petstore/harness/command"
import { startLoad } from "@petstore/harness/load"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { startCallers } from "../restarts.js"
import { messages, replaced, replacing, twoWorkers } from "../two-workers.js"

const requests = 50_000
const restarts = 20

it(`a service responds to ${requests} requests on separate connections across ${restarts} restarts`, async () => {
  // Without a log line per request, because there are many.
  const service = await serve(environmentIn(temporaryFolder(), { WORKERS: "2", SHUTDOWN_MS: "3000", LOG_LEVEL: "warn" }))
  const callers = startCallers(service, 16)
  for (let restart = 1; restart <= restarts || callers.sent() < requests; restart += 1) {
    const before = service.workerPids()
    service.signal("SIGHUP")
    await service.until(() => {
      const now = service.workerPids()
      return now.length === 2 && !now.some((pid) => before.includes(pid))
    }, `restart ${restart}`)
  }
  expect(await callers.stop()).toEqual([])
  expect(await callers.compare(service)).toEqual([])
  expect(callers.sent()).toBeGreaterThanOrEqual(requests)
})

it("a service whose primary accepts connections responds with 408 if a head does not arrive in time", async () => {
  const service = await serve(environmentIn(temporaryFolder(), { WORKERS: "2" }))
  const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1")
  let received = ""
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text
  })
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n")
  await new Promise((resolve) => socket.once("close", resolve))
  expect(received).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
})

it("no request hangs and no acknowledged pet is lost when a worker is killed", async () => {
  const service = await twoWorkers({ RATE_LIMIT: "1000000" })
  const callers = startCallers(service, 8)
  for (let round = 0; round < 2; round += 1) {
    const sent = callers.sent()
    await service.until(() => service.workerPids().length === 2 && callers.sent() > sent + 200, "the load")
    process.kill(service.workerPids()[round % 2] ?? 0, "SIGKILL")
  }
  // Connections that the worker had accepted close with it. Connections on their way to it go to another worker.
  const problems = await callers.stop()
  expect(problems.filter((problem) => problem.startsWith("no response"))).toEqual([])
  expect((await callers.compare(service)).filter((difference) => difference.startsWith("lost"))).toEqual([])
})

it("a service serves again after clients have exhausted its file descriptors", async () => {
  const folder = temporaryFolder()
  const limited = join(folder, "limited")
  const settings = { WORKERS: "2", PROGRAM: join(import.meta.dirname, "../../bin/petstore") }
  writeFileSync(limited, '#!/bin/sh\nulimit -n 100\nexec "$PROGRAM" "$@"\n', { mode: 0o755 })
  const service = await serve(environmentIn(folder, settings), { program: limited })
  const { port } = new URL(service.baseUrl)
  const flood: Array<Socket> = []
  const connectMore = async (): Promise<void> => {
    const more = Array.from({ length: 20 }, () => connect(Number(port), "127.0.0.1").on("error", () => {}))
    flood.push(...more)
    await Promise.all(more.map((socket) => once(socket, "connect")))
  }
  await service.until(async () => {
    await connectMore()
    return service.workerPids().every((pid) => readdirSync(`/proc/${pid}/fd`).length >= 100)
  }, "the workers to run out of file descriptors")
  // These connections are on their way to workers that cannot open them.
  await connectMore()
  for (const socket of flood) socket.destroy()
  const isAlive = async () =>
    (await fetch(new URL("/healthz", service.baseUrl), { signal: AbortSignal.timeout(5_000) }).catch(() => undefined))?.status ===
    200
  // Connections from the flood may still be closing. After that, every worker serves again.
  await service.until(isAlive, "a response")
  expect(await Promise.all(Array.from({ length: 8 }, isAlive))).toEqual(Array(8).fill(true))
})

it("a service switches on SIGHUP to the release at its program's path, without a failed request", async () => {
  const folder = temporaryFolder()
  const root = join(import.meta.dirname, "../../../..")
  for (const release of ["one", "two"]) {
    for (const part of ["bin", "dist", "package.json"]) {
      cpSync(join(root, "apps/http", part), join(folder, release, "apps/http", part), { recursive: true })
    }
    symlinkSync(join(root, "node_modules"), join(folder, release, "node_modules"))
    // If two versions of a package are needed, npm installs one of them here.
    const own = join(root, "apps/http/node_modules")
    if (existsSync(own)) symlinkSync(own, join(folder, release, "apps/http/node_modules"))
    // The bundler decides which file contains the health check.
    for (const file of globSync(join(folder, release, "apps/http/dist/*.js"))) {
      const text = readFileSync(file, "utf8")
      const marked = text.replace(String.raw`\"status\":\"ok\"`, String.raw`\"release\":\"${release}\"`)
      if (marked !== text) writeFileSync(file, marked)
    }
  }
  const current = join(folder, "current")
  symlinkSync(join(folder, "one"), current)
  const environment = environmentIn(folder, { WORKERS: "2", SHUTDOWN_MS: "3000" })
  const service = await serve(environment, { program: join(current, "apps/http/bin/petstore") })
  const releases = async () => {
    const asked = Array.from({ length: 6 }, async () =>
      (await fetch(new URL("/healthz", service.baseUrl), { headers: { Connection: "close" } })).text(),
    )
    return new Set((await Promise.all(asked)).map((text) => JSON.parse(text).release))
  }
  expect(await releases()).toEqual(new Set(["one"]))

  const load = startLoad(service.baseUrl, service.key, 6, 10)
  rmSync(current)
  symlinkSync(join(folder, "two"), current)
  service.signal("SIGHUP")
  await service.until(() => messages(service).includes(replaced), "the new release")
  expect((await load.stop()).failures).toEqual([])
  expect(await releases()).toEqual(new Set(["two"]))
})

it("a service exits before SHUTDOWN_MS is over if it gets SIGTERM during a replacement", async () => {
  const after = async (millis: number) => {
    const service = await twoWorkers({ SHUTDOWN_MS: "60000" })
    service.signal("SIGHUP")
    await service.until(() => messages(service).includes(replacing), "the replacement to begin")
    await new Promise((resolve) => setTimeout(resolve, millis))
    const toldAt = performance.now()
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    return performance.now() - toldAt
  }
  // Nothing is in flight, so the service does not wait for SHUTDOWN_MS.
  expect(Math.max(...(await Promise.all([0, 100, 400].map(after))))).toBeLessThan(40_000)
})
