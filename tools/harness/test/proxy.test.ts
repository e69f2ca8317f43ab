import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { openProxy } from "../src/proxy.ts"

/** Starts a server that sends back its name and the bytes that it received. Returns the server's URL and those bytes. */
const startEcho = async (name: string) => {
  const got: Array<string> = []
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", (bytes) => {
      got.push(bytes.toString())
      socket.write(`${name}:${bytes}`)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // Safe: the server listens on TCP.
  return { url: `http://127.0.0.1:${port}/`, got }
}

const call = async (url: string) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  socket.on("error", () => {})
  await once(socket, "connect")
  onTestFinished(() => void socket.destroy())
  const closed = once(socket, "close")
  return {
    closed,
    ask: async (text: string): Promise<string> => {
      socket.write(text)
      const [bytes] = await once(socket, "data")
      return String(bytes)
    },
    send: (text: string) => void socket.write(text),
    received: (): string => String(socket.read() ?? ""),
  }
}

/** A proxy in front of a server, and a client that has received a response through it. */
const startCalled = async () => {
  const server = await startEcho("server")
  const proxy = await openProxy(server.url)
  onTestFinished(proxy.close)
  const caller = await call(proxy.url)
  expect(await caller.ask("a")).toBe("server:a")
  return { server, proxy, caller }
}

it("a proxy forwards bytes, can change a server's bytes, and can switch to a different server", async () => {
  const [first, second] = [await startEcho("first"), await startEcho("second")]
  const proxy = await openProxy(first.url, () => ({ ofServer: (bytes) => Buffer.from(bytes.toString().toUpperCase()) }))
  onTestFinished(proxy.close)
  const caller = await call(proxy.url)
  expect(await caller.ask("a")).toBe("FIRST:A")
  proxy.leadTo(second.url)
  await caller.closed
  expect(await (await call(proxy.url)).ask("b")).toBe("SECOND:B")
})

it("a proxy can drop the responses on open connections while it forwards requests", async () => {
  const { server, proxy, caller } = await startCalled()
  proxy.loseAnswers()
  caller.send("b")
  await expect.poll(() => server.got).toStrictEqual(["a", "b"])
  expect(caller.received()).toBe("")
  expect(await (await call(proxy.url)).ask("c")).toBe("server:c")
})

it("a proxy can break a connection before it forwards a given text", async () => {
  const { server, proxy, caller } = await startCalled()
  proxy.onNext("COMMIT", () => "cut")
  caller.send("COMMIT")
  await caller.closed
  expect(server.got).toStrictEqual(["a"])
})

it("a silent proxy holds bytes back until it resumes", async () => {
  const { server, proxy, caller } = await startCalled()
  proxy.silence()
  const response = caller.ask("b")
  expect(server.got).toStrictEqual(["a"])
  proxy.resume()
  expect(await response).toBe("server:b")
})
