/** Tests how a process stops (sentence 15.1): which requests it still serves, which it refuses, and how long it takes. */
import { connect, type Socket } from "node:net"
import { environmentIn } from "@petstore/harness/command"
import { Http } from "@petstore/harness/http"
import { serve, stopWhenServed, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { describe, expect, it, onTestFinished } from "vitest"
import { startCallers } from "../restarts.js"

const start = (settings: Readonly<Record<string, string>> = {}) =>
  serve(environmentIn(temporaryFolder(), { LOG_LEVEL: "silent", ...settings }))

/** A connection, and all bytes received on it. */
class Connection {
  readonly #socket: Socket
  received = ""
  readonly closed: Promise<void>

  constructor(baseUrl: string) {
    this.#socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
    this.#socket.setEncoding("utf8").on("data", (text: string) => {
      this.received += text
    })
    this.#socket.on("error", () => {}) // The socket also emits `close`.
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()))
    onTestFinished(() => void this.#socket.destroy())
  }

  write(text: string): void {
    this.#socket.write(text)
  }
}

const createHead = (key: string, length: number): string =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

const isRefused = (baseUrl: string): Promise<boolean> =>
  new Http(new URL(baseUrl), "none").sendOnce().then(
    () => false,
    () => true,
  )

describe("a service process that gets a signal", () => {
  it("finishes requests in flight, refuses new connections and exits with code 0", async () => {
    const service = await start()
    const body = `{"name":"Bello","categoryId":1}`
    const connection = new Connection(service.baseUrl)
    connection.write(createHead(service.key, body.length))
    connection.write(body.slice(0, 5))
    // The response to a second request shows that the first one has arrived.
    await fetch(new URL("/healthz", service.baseUrl))
    service.signal("SIGTERM")
    await service.until(() => isRefused(service.baseUrl), "new connections to be refused")
    connection.write(body.slice(5))
    await connection.closed
    expect(connection.received).toMatch(/^HTTP\/1\.1 201 [\s\S]*"name":"Bello"/)
    expect(connection.received).toMatch(/\r\nConnection: close\r\n/i)
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })

  it.for(["1", "2"])("exits with code 0 if it has just printed its address, with WORKERS=%s", async (workers) => {
    const store = workers === "1" ? {} : { DATABASE_URL: await newPostgresDatabase() }
    const service = await start({ ...store, WORKERS: workers, ...stopWhenServed })
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })

  it("reports on open connections that it is alive but not ready, and closes them", async () => {
    const service = await start()
    const probes = [new Connection(service.baseUrl), new Connection(service.baseUrl)]
    for (const probe of probes) probe.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
    await service.until(() => probes.every(({ received }) => received.endsWith('{"status":"ready"}')), "readiness")
    service.signal("SIGTERM")
    await service.until(() => isRefused(service.baseUrl), "new connections to be refused")
    probes[0]?.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
    probes[1]?.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    await Promise.all(probes.map(({ closed }) => closed))
    expect(probes[0]?.received).toMatch(/HTTP\/1\.1 503 [\s\S]*Connection: close[\s\S]*"code":"service_stopping"/i)
    expect(probes[1]?.received).toMatch(/HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close[\s\S]*\{"status":"ok"\}$/i)
    expect((await service.ended).code).toBe(0)
  })

  it("does not store a pet without sending a response, even if clients send many requests at once", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { LOG_LEVEL: "silent" }))
    const callers = startCallers(service, 8)
    await service.until(() => callers.sent() > 200, "the load")
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    const problems = await callers.stop()
    expect(problems.filter((problem) => !problem.includes("; received 0 bytes"))).toEqual([])
    const again = await serve(environmentIn(folder, { LOG_LEVEL: "silent" }))
    expect(await callers.compare(again)).toEqual([])
  })

  it("does not wait until the deadline for connections that stay silent", async () => {
    const service = await start({ SHUTDOWN_MS: "600000" })
    const used = new Connection(service.baseUrl)
    const unused = new Connection(service.baseUrl)
    used.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    await service.until(() => used.received.endsWith('{"status":"ok"}'), "the response")
    service.signal("SIGTERM")
    await Promise.all([used.closed, unused.closed])
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })

  it("aborts endless requests at the deadline, and exits with code 0", async () => {
    const service = await start({ SHUTDOWN_MS: "1000" })
    const stuck = new Connection(service.baseUrl)
    stuck.write(createHead(service.key, 100))
    await fetch(new URL("/healthz", service.baseUrl))
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })

  it("exits at once on the second signal", async () => {
    const service = await start({ SHUTDOWN_MS: "600000" })
    const stuck = new Connection(service.baseUrl)
    stuck.write(createHead(service.key, 100))
    await fetch(new URL("/healthz", service.baseUrl))
    service.signal("SIGTERM")
    await service.until(() => isRefused(service.baseUrl), "new connections to be refused")
    service.signal("SIGINT")
    expect((await service.ended).code).toBe(1)
  })
})
