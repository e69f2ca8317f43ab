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

it("the service responds with 431 to a head with many small headers, and to a head with one large header", async () => {
  const many = Array.from({ length: 6000 }, (_, index) => `h${index}: x`)
  expect(await answerTo(head("GET /v1/pets HTTP/1.1", ...many))).toMatch(/^HTTP\/1\.1 431 [\s\S]*"headers_too_large"/)
  expect(await answerTo(head("GET /v1/pets HTTP/1.1", `x: ${"a".repeat(20_000)}`))).toMatch(/^HTTP\/1\.1 431 /)
  expect(await isWell()).toBe(true)
})

it("the service responds with 200 or 431 to a head with 3500 headers", async () => {
  const many = Array.from({ length: 3500 }, () => "a:")
  const response = await answerTo(head("GET /v1/pets HTTP/1.1", ...many, "Connection: close"))
  expect(response).toMatch(/^HTTP\/1\.1 (?:200|431) /)
})

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

it("the service serves other clients while hundreds of clients have sent only half a head or half a body", async () => {
  const half = [
    "GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ",
    `${head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 1000")}{`,
    "",
  ]
  const connections = await Promise.all(Array.from({ length: 300 }, open))
  for (const [index, { socket }] of connections.entries()) socket.write(half[index % half.length] ?? "")
  expect(await isWell()).toBe(true)
  for (const { socket } of connections) socket.destroy()
  expect(await isWell()).toBe(true)
})

it("the service does not read a second request from the body of an ambiguously framed request", async () => {
  const smuggled = "GET /v1/pets?limit=0 HTTP/1.1\r\nHost: a\r\n\r\n"
  const doubtful = [
    ["Content-Length: 4", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked", "Content-Length: 4"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding : chunked"],
    ["Transfer-Encoding: chunked, identity"],
    ["Content-Length: 4", "Content-Length: 5"],
    ["Content-Length: +4"],
    ["Content-Length: 4, 4"],
    ["Content-Length: 0x4"],
  ]
  for (const lines of doubtful) {
    const { socket, received } = await open()
    socket.end(`${head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", ...lines)}0\r\n\r\n${smuggled}`)
    await new Promise((resolve) => socket.once("close", resolve))
    const statuses = [...received().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
    expect([lines, statuses]).toStrictEqual([lines, ["400"]])
  }
})
