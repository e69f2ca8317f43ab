/** Members of Node that its documentation does not name (decision 0052): each test fails if Node changes one. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { get, post } from "@petstore/harness/caller"
import { describe, expect, it, onTestFinished } from "vitest"

/** A server of plain Node and its only connection. `Object` hides the types, which lack the members under test. */
const open = async (listener: RequestListener = (_request, response) => response.end("x")) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const accepted = once(server, "connection")
  const client = connect({ port: Object(server.address()).port, host: "127.0.0.1", allowHalfOpen: true })
  client.on("error", () => {})
  onTestFinished(() => void client.destroy())
  const [socket] = await accepted
  return { server: Object(server), client, socket: Object(socket), parser: Object(Object(socket).parser) }
}

describe("a parser of Node", () => {
  it("is the socket's `parser`, and reads from the socket by itself until the socket has a second reader", async () => {
    const { client, socket } = await open()
    expect(socket.listenerCount("data")).toBe(1)
    client.write("GET / HTTP/1.1\r\n")
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0)
    const heard: Array<string> = []
    socket.on("data", (chunk: Buffer) => void heard.push(chunk.toString()))
    client.write("X: y\r\n")
    await expect.poll(() => heard).toStrictEqual(["X: y\r\n"])
  })

  it("calls `onIncoming` with a request and whether to keep the connection", async () => {
    const { client, parser } = await open()
    const called = Promise.withResolvers<ReadonlyArray<unknown>>()
    parser.onIncoming = (request: IncomingMessage, shouldKeepAlive: boolean) => {
      called.resolve([request.url, shouldKeepAlive])
      return 0
    }
    client.write(get("/seen"))
    expect(await called.promise).toStrictEqual(["/seen", true])
  })

  it("stops after a head if `onIncoming` returns 2, and `kOnExecute` and `getCurrentBuffer` tell what was not parsed", async () => {
    const { client, parser } = await open()
    const heads: Array<string | undefined> = []
    parser.onIncoming = ({ url }: IncomingMessage) => {
      heads.push(url)
      return 2
    }
    const executed = Promise.withResolvers<string>()
    parser[parser.constructor.kOnExecute] = (parsed: number) =>
      executed.resolve(parser.getCurrentBuffer().subarray(parsed).toString())
    client.write(get("/1") + get("/2"))
    expect(await executed.promise).toBe(get("/2"))
    expect(heads).toStrictEqual(["/1"])
  })

  it("takes its stop for the end of the message", async () => {
    const pushed: Array<boolean> = []
    const { client, parser } = await open()
    const executed = Promise.withResolvers<unknown>()
    parser.onIncoming = (request: IncomingMessage) => {
      request.push = () => pushed.push(request.complete) > 0
      return 2
    }
    parser[parser.constructor.kOnExecute] = executed.resolve
    client.write(post("/", "body"))
    await executed.promise
    expect(pushed).toStrictEqual([true])
  })

  it("parses bytes given to `execute`", async () => {
    const bodies: Array<string> = []
    const { client, parser } = await open((request, response) => {
      request.on("data", (chunk: Buffer) => void bodies.push(chunk.toString()))
      request.on("end", () => response.end())
    })
    expect(parser.execute(Buffer.from(post("/", "body")))).toBe(post("/", "body").length)
    await once(client, "data")
    expect(bodies).toStrictEqual(["body"])
  })

  it("takes nothing from `execute` while Node has paused it, and reports that, but not after a stop", async () => {
    const { client, socket, parser } = await open((request, response) => {
      if (request.url === "/long") response.end("x".repeat(10_000_000))
    })
    client.pause()
    client.write(get("/long") + get("/next"))
    await expect.poll(() => socket.isPaused()).toBe(true)
    const heads: Array<string | undefined> = []
    parser.onIncoming = ({ url }: IncomingMessage) => {
      heads.push(url)
      return 2
    }
    expect(parser.execute(Buffer.from(get("/1")))).toMatchObject({ code: "HPE_PAUSED" })
    parser.resume()
    parser.execute(Buffer.from(get("/2")))
    parser.pause()
    expect(typeof parser.execute(Buffer.from(get("/3")))).toBe("number")
    expect(heads).toStrictEqual(["/2"])
  })

  it("keeps the names and values of a long unfinished head in `_headers`", async () => {
    const { client, parser } = await open()
    client.write(`GET / HTTP/1.1\r\n${"a: b\r\n".repeat(100)}`)
    await expect.poll(() => parser._headers.length).toBeGreaterThan(100)
  })
})

describe("a socket of Node", () => {
  it("closes by `destroySoon` after its last response", async () => {
    const { client, socket } = await open()
    const called = Promise.withResolvers<boolean>()
    socket.destroySoon = () => called.resolve(true)
    client.write(get("/", "Connection: close"))
    expect(await called.promise).toBe(true)
    expect(socket.destroyed).toBe(false)
  })

  it("reads into the buffer of `_handle.useUserBuffer` and calls `push`, until that returns false, and again after an empty chunk", async () => {
    const { client, socket } = await open()
    const buffer = new Uint8Array(65_536)
    const pushed: Array<number> = []
    socket.removeAllListeners("data").on("data", () => {})
    socket._handle.useUserBuffer(buffer)
    const { push } = socket
    socket.push = () => {
      pushed.push(socket.bytesRead)
      return false
    }
    client.write("dropped")
    await expect.poll(() => pushed.length).toBe(1)
    expect(Buffer.from(buffer.subarray(0, 7)).toString()).toBe("dropped")
    client.write("more")
    await sleep(50)
    expect(pushed).toHaveLength(1)
    push.call(socket, Buffer.alloc(0))
    await expect.poll(() => pushed).toStrictEqual([7, 11])
    expect(Buffer.from(buffer.subarray(0, 4)).toString()).toBe("more")
  })
})

it("a request of Node gets its body by `push`, and null at its end", async () => {
  const chunks: Array<string | undefined> = []
  const { client } = await open((request, response) => {
    request.push = (chunk: Buffer | null) => {
      chunks.push(chunk?.toString())
      if (chunk === null) response.end()
      return true
    }
  })
  client.write(post("/", "body"))
  await once(client, "data")
  expect(chunks).toStrictEqual(["body", undefined])
})

it("a response of Node calls `writeHead` for an implicit head, and sends what that leaves in `_header`", async () => {
  const { client } = await open((_request, response) => {
    Object(response).writeHead = (status: number) => {
      Object(response)._header = `HTTP/1.1 ${status} OK\r\nContent-Length: 2\r\n\r\n`
    }
    response.end("ok")
  })
  client.write(get("/"))
  expect(String((await once(client, "data"))[0])).toBe("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
})

it("a response of Node announces the end of its connection unless `shouldKeepAlive`", async () => {
  const { client } = await open((_request, response) => {
    response.shouldKeepAlive = false
    response.end()
  })
  client.write(get("/"))
  expect(String((await once(client, "data"))[0])).toContain("Connection: close")
})

it("a server of Node with `httpAllowHalfOpen` answers a client that has ended its side", async () => {
  const { server, client } = await open((_request, response) => void setTimeout(() => response.end("late"), 20))
  server.httpAllowHalfOpen = true
  client.end(get("/", "Connection: close"))
  expect(String((await once(client, "data"))[0])).toContain("late")
})
