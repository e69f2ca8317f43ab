/** Clients that send too much, or nothing: the service's memory use stays low, and other clients get responses. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

const store = new TemporaryStore()
let serving: Service
let key: string

beforeAll(async () => {
  await petstore(store.environment, "accounts", "create", "floods")
  key = (await createKey(store.environment, "floods")).key
  serving = await startService(store.environment)
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

const head = (...lines: ReadonlyArray<string>): string =>
  [...lines, "Host: a", `Authorization: Bearer ${key}`, "", ""].join("\r\n")

const open = async (): Promise<{ readonly socket: Socket; readonly received: () => string }> => {
  const { hostname, port } = new URL(serving.baseUrl)
  const socket = connect(Number(port), hostname)
  let text = ""
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1")
  })
  // The service may close the connection if the client sends too much.
  socket.on("error", () => {})
  await once(socket, "connect")
  return { socket, received: () => text }
}

/** Sends one message and reads until a response head is complete. */
const answerTo = async (message: string): Promise<string> => {
  const { socket, received } = await open()
  socket.write(message)
  while (!received().includes("\r\n\r\n") && !socket.closed) await once(socket, "data").catch(() => {})
  socket.destroy()
  return received()
}

const isWell = async (): Promise<boolean> =>
  (await fetch(`${serving.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })).status === 200

it("the service responds with 400 to a query that repeats a name 1500 times", async () => {
  const query = `limit=1${"&limit=1".repeat(1500)}`
  expect(await answerTo(head(`GET /v1/pets?${query} HTTP/1.1`, "Connection: close"))).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*"invalid_parameter"/,
  )
})

it("the service responds with 413 to an overlong body, and does not keep the body in memory", async () => {
  // Only Linux reports another process's memory. On other systems, only the response is tested.
  const residentBytes = (): number => {
    try {
      const [, kibibytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${serving.pid}/status`, "utf8")) ?? []
      return Number(kibibytes) * 1024
    } catch {
      return 0
    }
  }
  const { socket, received } = await open()
  socket.write(head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked"))
  const before = residentBytes()
  const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`
  const floodBytes = 256 * 1024 * 1024
  for (let sent = 0; sent < floodBytes && socket.writable; sent += chunk.length) {
    await new Promise((resolve) => socket.write(chunk, resolve))
  }
  expect(received()).toMatch(/^HTTP\/1\.1 413 [\s\S]*"body_too_large"/)
  expect(residentBytes() - before).toBeLessThan(floodBytes / 2)
  socket.destroy()
  expect(await isWell()).toBe(true)
})
