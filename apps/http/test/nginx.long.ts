/** The example configuration `tools/deploy/nginx.conf` in a real nginx, in front of the service under load. */

import { once } from "node:events"
import { connect as connectTcp } from "node:net"
import { text } from "node:stream/consumers"
import { connect, getCACertificates, setDefaultCACertificates } from "node:tls"
import { environmentIn } from "@petstore/harness/command"
import { Http } from "@petstore/harness/http"
import { everyPetId, startLoad } from "@petstore/harness/load"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { describe, expect, it, onTestFinished } from "vitest"
import { startNginx } from "./nginx.js"

const start = async (settings: Readonly<Record<string, string>> = {}) => {
  const service = await serve(environmentIn(temporaryFolder(), settings))
  const nginx = await startNginx(temporaryFolder(), new URL(service.baseUrl).host)
  onTestFinished(nginx.stop)
  setDefaultCACertificates([...getCACertificates("default"), nginx.certificate])
  return { service, key: service.key, nginx }
}

describe("behind nginx", () => {
  it("no request fails and no pet is lost when workers stop and are replaced under load", async () => {
    const { service, key, nginx } = await start({ WORKERS: "2", DATABASE_URL: await newPostgresDatabase() })
    const load = startLoad(nginx.baseUrl, key, 12, 10)
    /** Each new connection goes to the next worker. */
    const bothServe = async () => {
      await fetch(new URL("/healthz", service.baseUrl), { headers: { Connection: "close" } })
      const pids = service.logLines().flatMap(({ msg, pid }) => (msg === "answered" ? [pid] : []))
      return service.workerPids().filter((pid) => pids.includes(pid)).length === 2
    }
    for (const round of [1, 2, 3]) {
      const answered = load.answered()
      await service.until(() => load.answered() > answered + 100, "load")
      await service.until(bothServe, "both workers")
      process.kill(service.workerPids()[round % 2] ?? 0, "SIGTERM")
    }
    const { created, failures } = await load.stop()
    expect(failures).toEqual([])
    const kept = await everyPetId(nginx.baseUrl, key)
    expect(created.filter((id) => !kept.has(id))).toEqual([])
    expect(nginx.log()).not.toContain(nginx.closedAddress)
  })

  it("a client that closes its sending side gets its response", async () => {
    const { key, nginx } = await start()
    const { host, hostname, port } = new URL(nginx.baseUrl)
    const socket = connect({ host: hostname, port: Number(port) })
    const request = `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`
    socket.end(request.repeat(3))
    expect((await text(socket)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
  })

  it("the service's log names the caller, once the lines of the PROXY protocol are uncommented", async () => {
    const service = await serve(environmentIn(temporaryFolder(), { PROXY_PROTOCOL_FROM: "127.0.0.2/32" }))
    const uncommented = ["#proxy_protocol", "#proxy_bind", "#proxy_protocol"].map((line) => [line, line.slice(1)] as const)
    const nginx = await startNginx(temporaryFolder(), new URL(service.baseUrl).host, uncommented)
    onTestFinished(nginx.stop)
    const { hostname, port } = new URL(nginx.baseUrl)
    const ask = async (target: string): Promise<string> => {
      const tcp = connectTcp({ host: hostname, port: Number(port), localAddress: "127.0.0.3" })
      const socket = connect({ socket: tcp, host: hostname, ca: nginx.certificate })
      socket.end(`GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
      return text(socket)
    }
    expect(await ask("/v1/pets")).toMatch(/^HTTP\/1\.1 401 /)
    expect(await ask("not a target")).toMatch(/^HTTP\/1\.1 400 /)
    await fetch(new URL("/healthz", service.baseUrl))
    const clients = () => service.logLines().flatMap(({ client, status }) => (client === undefined ? [] : [[client, status]]))
    await service.until(() => clients().length >= 3, "the lines")
    expect(clients()).toEqual([
      ["127.0.0.3", 401],
      ["127.0.0.3", 400],
      ["127.0.0.1", 200],
    ])
    service.signal("SIGTERM")
    await service.ended
    expect(await ask("/v1/pets")).toMatch(/^HTTP\/1\.1 503 /)
  })

  it("one address can open 200 connections, and the next connection is closed", async () => {
    const { nginx } = await start()
    const { hostname, port } = new URL(nginx.baseUrl)
    const open = async () => {
      const socket = connectTcp(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      await once(socket, "connect")
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: 200 }, open))
    await once(await open(), "close")
    expect(sockets.filter(({ closed }) => closed)).toEqual([])
  })

  it("an unavailable service results in a 503 with an Error object", async () => {
    const { service, key, nginx } = await start()
    service.signal("SIGTERM")
    await service.ended
    const response = await new Http(new URL(nginx.baseUrl), key).sendOnce()
    expect(response.header("content-type")).toBe("application/json")
    expect(response.header("x-request-id")).toMatch(/^[0-9a-f]{32}$/)
    expect(response.header("retry-after")).toBe("1")
    expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({
      status: 503,
      body: { code: "storage_unavailable", message: expect.any(String), status: 503 },
    })
  })
})
