/** A service that inherits its listening socket from systemd (sd_listen_fds(3)), and its restarts under load (sentence 15.8). */
import { closeSync, openSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { type Environment, environmentIn, environmentOf } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it, onTestFinished } from "vitest"
import { takeInheritedSocket } from "../../src/process/inherited-socket.js"
import { startCallers } from "../restarts.js"

/** Owns a listening socket without accepting connections, because the thread's event loop never runs again. */
const holder = `const { parentPort } = require("node:worker_threads")
const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  parentPort.postMessage({ fd: server._handle.fd, port: server.address().port })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** Opens a socket as systemd does. */
const openSocket = async (): Promise<{ readonly fd: number; readonly port: number }> => {
  const thread = new Worker(holder, { eval: true })
  onTestFinished(() => void thread.terminate())
  return new Promise((resolve) => thread.once("message", resolve))
}

/** Starts a service that inherits the socket. As systemd does, the shell names its own process, which the service then replaces. */
const serveOn = (inherited: number, environment: Environment, pid = "$$"): Promise<Service> => {
  const named = `export LISTEN_FDS=1 LISTEN_FDNAMES=petstore.socket LISTEN_PID=${pid}; exec "$@"`
  return serve(environment, { inherited, launcher: ["sh", "-c", named, "sh"] })
}

it("a service on SQLite restarts five times under new connections without a failed request or a lost pet", async () => {
  const { fd, port } = await openSocket()
  const environment = environmentIn(temporaryFolder(), { LOG_LEVEL: "error", PORT: "1", HOST: "192.0.2.1" })
  let service = await serveOn(fd, environment)
  expect(service.baseUrl).toBe(`http://127.0.0.1:${port}/v1`)
  const callers = startCallers(service, 8)
  for (let restart = 1; restart <= 5; restart += 1) {
    const sent = callers.sent()
    await service.until(() => callers.sent() > sent + 100, "the load")
    expect(await service.stop()).toBe(0)
    service = await serveOn(fd, environment)
  }
  expect(await callers.stop()).toEqual([])
  expect(await callers.compare(service)).toEqual([])
  expect(service.stderr).toBe("")
})

it("a service ignores a socket for another process", async () => {
  const { fd, port } = await openSocket()
  const service = await serveOn(fd, environmentIn(temporaryFolder()), "1")
  expect(service.baseUrl).not.toContain(String(port))
})

it("a process takes its socket once, and its children do not find the variables", () => {
  const environment = { LISTEN_FDS: "1", LISTEN_PID: String(process.pid), LISTEN_FDNAMES: "petstore.socket", PORT: "0" }
  expect(takeInheritedSocket(environment)).toBe(3)
  expect(environment).toEqual({ PORT: "0" })
  expect(takeInheritedSocket(environment)).toBeUndefined()
})

it("a service refuses an inherited file descriptor that is not a listening socket", async () => {
  const environment = environmentIn(temporaryFolder())
  const file = openSync("/dev/null", "r")
  onTestFinished(() => closeSync(file))
  await expect(serveOn(file, environment)).rejects.toThrow("The inherited socket 3 cannot be used")
})

it("several workers share an inherited socket, and a restart leaves it open", async () => {
  const { fd, port } = await openSocket()
  const environment = environmentOf({ DATABASE_URL: await newPostgresDatabase(), WORKERS: "2", LOG_LEVEL: "silent" })
  const service = await serveOn(fd, environment)
  expect(service.baseUrl).toBe(`http://127.0.0.1:${port}/v1`)
  await service.until(() => service.workerPids().length === 2, "both workers")
  expect(await service.stop()).toBe(0)
  const waiting = fetch(`http://127.0.0.1:${port}/healthz`)
  await serveOn(fd, environment)
  expect((await waiting).status).toBe(200)
})
