/** Clients that send without waiting and never read do not harm the service or other clients (7.14, 10.51, 10.56, 15.1). */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const callers = 200
const shutdownMillis = 5_000
/** The delay, in ms, that a busy machine can cause. */
const busyMillis = 2_000

/** A process's peak memory in MiB, as reported by Linux. */
const peakMebibytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Sends the beginning, and then repeats the bytes up to the maximum or until the service accepts no more. */
const flood = async (port: number, beginning: string, bytes: string, maximumBytes: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1").pause()
  socket.on("error", () => {}) // The service may reset the connection.
  await once(socket, "connect")
  socket.write(beginning)
  const chunk = Buffer.from(bytes.repeat(Math.ceil(65_536 / bytes.length)))
  for (let sentBytes = 0; sentBytes < maximumBytes; sentBytes += chunk.length) {
    const isTaken =
      socket.write(chunk) ||
      (await Promise.race([
        once(socket, "drain").then(
          () => true,
          () => false,
        ),
        sleep(1_000, false),
      ]))
    if (!isTaken) break
  }
  return socket
}

const host = "Host: a\r\n"

/** Given the `Authorization` header, returns the arguments of `flood`. */
type Attack = (authorization: string) => readonly [beginning: string, bytes: string, maximumBytes: number]

const attacks: ReadonlyArray<readonly [name: string, attack: Attack]> = [
  ["requests without a key", () => ["", `GET /docs HTTP/1.1\r\n${host}\r\n`, 1_000_000]],
  [
    "bodies in one-byte chunks",
    (authorization: string) => [
      `POST /v1/pets HTTP/1.1\r\n${host}${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      "1\r\nx\r\n",
      6 * 65_000,
    ],
  ],
  ["long pages", (authorization: string) => ["", `GET /v1/pets?limit=100 HTTP/1.1\r\n${host}${authorization}\r\n`, 1_000_000]],
  ["heads that do not end", () => [`GET / HTTP/1.1\r\n${host}`, "ab: cd\r\n", 1]],
]

it.for(attacks)("the service grows by less than 150 MiB under %s, serves others, and stops in time", async ([, attack]) => {
  const settings = { LOG_LEVEL: "silent", SHUTDOWN_MS: String(shutdownMillis) }
  const service = await serve(environmentIn(temporaryFolder(), settings))
  const authorization = `Authorization: Bearer ${service.key}`
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
  const name = "🐈".repeat(1024)
  for (let pet = 0; pet < 100; pet += 1) {
    await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body: JSON.stringify({ name, categoryId: pet }) })
  }
  const before = peakMebibytes(service.pid)
  const { port } = new URL(service.baseUrl)
  const [beginning, bytes, maximumBytes] = attack(`${authorization}\r\n`)
  const floods = Promise.all(Array.from({ length: callers }, () => flood(Number(port), beginning, bytes, maximumBytes)))
  let isOver = false
  void floods.then(() => {
    isOver = true
  })
  do {
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200)
    await sleep(200)
  } while (!isOver)
  const isServed = async () => (await fetch(`${service.baseUrl}/pets?limit=1`, { headers })).status === 200
  await service.until(isServed, "a request with a key to be served")
  const grownMebibytes = peakMebibytes(service.pid) - before
  process.stdout.write(`${callers} callers: ${grownMebibytes.toFixed(0)} MiB more\n`)
  expect(grownMebibytes).toBeLessThan(150)
  const toldMillis = performance.now()
  service.signal("SIGTERM")
  expect((await service.ended).code).toBe(0)
  expect(performance.now() - toldMillis).toBeLessThan(shutdownMillis + busyMillis)
  for (const socket of await floods) socket.destroy()
})

it("the service disconnects clients that never read, and counts them", async () => {
  const settings = { ADMIN_PORT: "0", LOG_LEVEL: "silent", READ_MS: "500" }
  const service = await serve(environmentIn(temporaryFolder(), settings))
  const { port } = new URL(service.baseUrl)
  const request = `GET /docs HTTP/1.1\r\n${host}\r\n`
  const floods = await Promise.all(Array.from({ length: 20 }, () => flood(Number(port), "", request, 8_000_000)))
  const metricsUrl = /Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? ""
  const isCounted = async () => /closed_total\{reason="slow_reader"\} 20\n/.test(await (await fetch(metricsUrl)).text())
  await service.until(isCounted, "every connection to be closed")
  for (const socket of floods) socket.destroy()
})
