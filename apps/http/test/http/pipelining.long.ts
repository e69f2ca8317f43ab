/**
 * Clients that send requests without waiting and never read: what the service holds for them, and how they end (10.50, 10.51).
 */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** The peak memory of a process, in MiB, by Linux. */
const peakMebibytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Repeats a request until the service accepts no more bytes, and reads nothing. Returns the number of accepted bytes. */
const flood = async (port: number, request: string, maximumBytes: number): Promise<{ socket: Socket; sentBytes: number }> => {
  const socket = connect(port, "127.0.0.1").pause()
  socket.on("error", () => {})
  await once(socket, "connect")
  const chunk = Buffer.from(request.repeat(Math.ceil(65_536 / request.length)))
  let sentBytes = 0
  while (sentBytes < maximumBytes) {
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
    sentBytes += chunk.length
  }
  return { socket, sentBytes }
}

it("holds little for callers that never read, serves the others, and closes them in the end", async () => {
  const settings = { ADMIN_PORT: "0", LOG_LEVEL: "silent", READ_MS: "500" }
  const service = await serve(environmentIn(temporaryFolder(), settings))
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
  const name = "🐈".repeat(1024)
  for (let pet = 0; pet < 100; pet += 1) {
    await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body: JSON.stringify({ name, categoryId: pet }) })
  }
  const before = peakMebibytes(service.pid)
  const { port } = new URL(service.baseUrl)
  const host = "Host: a\r\n"
  const page = `GET /v1/pets?limit=100 HTTP/1.1\r\n${host}Authorization: Bearer ${service.key}\r\n\r\n`
  // A small request, of which a read holds many, with a large response.
  const small = `GET /docs HTTP/1.1\r\n${host}\r\n`
  const floods = await Promise.all(
    Array.from({ length: 60 }, (_, number) => flood(Number(port), number % 2 === 0 ? page : small, 8_000_000)),
  )
  expect((await fetch(`${service.baseUrl}/pets?limit=1`, { headers })).status).toBe(200)
  const grownMebibytes = peakMebibytes(service.pid) - before
  process.stdout.write(`60 callers: ${grownMebibytes.toFixed(0)} MiB more\n`)
  expect(grownMebibytes).toBeLessThan(150)

  const metricsUrl = /Metrics are at (\S+)/.exec(service.stdout)?.[1] ?? ""
  const isCounted = async () => /closed_total\{reason="slow_reader"\} 60\n/.test(await (await fetch(metricsUrl)).text())
  await service.until(isCounted, "every one of them to be closed")
  for (const { socket } of floods) socket.destroy()
})
