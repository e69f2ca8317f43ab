/** The PROXY protocol of trusted peers. */
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { Caller, get, post, until } from "@petstore/harness/caller"
import { expect, it, onTestFinished } from "vitest"
import { type BoundedServer, clientOf, createBoundedServer, type Limits } from "../src/index.js"

const startServer = async (isProxy: (address: string) => boolean, limits: Partial<Limits>): Promise<[number, BoundedServer]> => {
  const server = createBoundedServer(
    (request, response) => {
      const { address, port } = clientOf(request)
      request
        .resume()
        .once("end", () => response.end(`${request.url} ${address} ${port === request.socket.remotePort ? "" : port}`))
    },
    { isProxy, limits },
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  return [Object(server.address()).port, server]
}

const start = async (isProxy: (address: string) => boolean): Promise<number> => {
  const [port] = await startServer(isProxy, { headMillis: 300 })
  return port
}

const signature = "\r\n\r\n\0\r\nQUIT\n"
const four = `${signature}\x21\x11\0\x0c\xc0\0\x02\x07\x0a\0\0\x01\x30\x39\0\x50`
const six = `${signature}\x21\x21\0\x24\x20\x01\x0d\xb8${"\0".repeat(11)}\x01${"\0".repeat(16)}\x30\x39\0\x50`
const extended = `${signature}\x21\x11\0\x10\xc0\0\x02\x07\x0a\0\0\x01\x30\x39\0\x50\x04\0\x01x`

it.for([
  ["version 1, IPv4", "PROXY TCP4 192.0.2.7 10.0.0.1 12345 80\r\n", "192.0.2.7 12345"],
  ["version 1, IPv6", "PROXY TCP6 2001:db8::1 ::1 12345 80\r\n", "2001:db8::1 12345"],
  ["version 1, unknown", "PROXY UNKNOWN ffff anything\r\n", "127.0.0.1"],
  ["version 2, IPv4", four, "192.0.2.7 12345"],
  ["version 2, IPv6", six, "2001:db8:0:0:0:0:0:1 12345"],
  ["version 2, with an extension", extended, "192.0.2.7 12345"],
  ["version 2, local", `${signature}\x20\0\0\0`, "127.0.0.1"],
] as const)("a trusted peer names its client, in one piece with requests or byte by byte: %s", async ([, header, client]) => {
  const [port] = await startServer(() => true, {})
  const [whole, split, apart] = [await Caller.open(port), await Caller.open(port), await Caller.open(port)]
  whole.send(header + get("/1") + post("/2", "body") + get("/3"))
  for (const byte of header + get("/1") + post("/2", "body") + get("/3")) {
    split.send(byte)
    await sleep(0)
  }
  apart.send(header)
  await sleep(20)
  apart.send(get("/1") + post("/2", "body") + get("/3"))
  for (const caller of [whole, split, apart]) {
    await until(() => caller.responses.length === 3, "three responses")
    expect(caller.responses).toStrictEqual([`200 /1 ${client}`, `200 /2 ${client}`, `200 /3 ${client}`])
  }
})

it.for([
  ["no header", get("/")],
  ["a line without an end", `PROXY TCP4 ${"1".repeat(200)}`],
  ["a wrong address", "PROXY TCP4 192.0.2.777 10.0.0.1 12345 80\r\n"],
  ["an address of the other family", "PROXY TCP4 ::1 ::1 12345 80\r\n"],
  ["a wrong port", "PROXY TCP4 192.0.2.7 10.0.0.1 70000 80\r\n"],
  ["a wrong version", `${signature}\x11\x11\0\0`],
  ["too few bytes", `${signature}\x21\x11\0\x04\xc0\0\x02\x07`],
  ["an endless header", `${signature}\x21\x11\xff\xff`],
  ["half a header", "PROXY TCP4 192"],
] as const)("a trusted peer's connection is closed without a response: %s", async ([, bytes]) => {
  const caller = await Caller.open(await start(() => true))
  caller.send(bytes)
  await caller.ended
  expect(caller.received).toBe("")
})

it("a peer that is not trusted cannot name a client", async () => {
  const port = await start((address) => address === "192.0.2.1")
  const [forging, plain] = [await Caller.open(port), await Caller.open(port)]
  forging.send(`PROXY TCP4 192.0.2.7 10.0.0.1 12345 80\r\n${get("/")}`)
  plain.send(get("/"))
  await forging.ended
  await until(() => plain.responses.length === 1, "a response")
  expect(forging.responses).toStrictEqual(["400 malformed_request"])
  expect(plain.responses).toStrictEqual(["200 / 127.0.0.1"])
})

it("connections that wait for their header count, and those beyond the limit are closed", async () => {
  const [port] = await startServer(() => true, { connectionLimit: 1 })
  const waiting = await Promise.all(Array.from({ length: 30 }, () => Caller.open(port)))
  let closed = 0
  for (const caller of waiting) {
    void caller.ended.then(() => {
      closed += 1
    })
  }
  // One, and 16 for health checks.
  await until(() => closed === 30 - 17, "the connections beyond the limit to close")
})

it("a drain closes connections that wait for their header, even if they send parts of it", async () => {
  const [port, server] = await startServer(() => true, { headMillis: 600_000 })
  const [silent, slow, late] = [await Caller.open(port), await Caller.open(port), await Caller.open(port)]
  slow.send("PROXY TCP4 ")
  await sleep(50)
  const drained = server.drain({ idleMillis: 300, deadlineMillis: 600_000 })
  const sending = setInterval(() => slow.send("1"), 20)
  late.send(`PROXY UNKNOWN\r\n${get("/late")}`)
  await Promise.all([drained, silent.ended, slow.ended, late.ended])
  clearInterval(sending)
  expect(late.responses).toStrictEqual(["200 /late 127.0.0.1"])
})
