/** The byte and time limits on a connection, and their reports (specification 7.14, 8.5, 8.7, 10.26, 10.51 to 10.53). */
import { once } from "node:events"
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Caller, get, post, until } from "@petstore/harness/caller"
import { describe, expect, it } from "vitest"
import { Budget } from "../src/budget.js"
import { reserve } from "../src/response.js"
import { createBoundedServer } from "../src/server.js"
import { type Asked, startWire } from "./wire.js"

const answerAtOnce = ({ answer }: Asked): void => answer()

/** Reads at a steady rate, one chunk at a time. */
const readSteadily = async ({ socket }: Caller, bytesASecond: number): Promise<void> => {
  for await (const chunk of socket.removeAllListeners("data")) {
    await sleep((1_000 * (chunk as Buffer).length) / bytesASecond)
    socket.emit("read", chunk)
  }
}

describe("a client that reads slowly", () => {
  it("gets every response if it reads faster than required", async () => {
    const bytes = 100_000
    const wire = await startWire({ readMillis: 300, pipelineLimit: 2 }, ({ answer }) => answer("x".repeat(bytes)))
    const caller = await Caller.open(wire.port)
    let received = 0
    caller.socket.on("read", (chunk: Buffer) => {
      received += chunk.length
    })
    caller.send(get("/").repeat(100))
    const reading = readSteadily(caller, 2_500_000).catch(() => {})
    await until(() => received > 100 * bytes || wire.closed.length > 0, "every response")
    expect(wire.closed).toStrictEqual([])
    caller.socket.destroy()
    await reading
  })

  it.for([
    ["", 0],
    [", even if the process stands still for longer than the client may be silent", 1_500],
  ] as const)("gets the buffered responses instead of a reset after its timeout%s", async ([, stillMillis]) => {
    const wire = await startWire({ readMillis: 100 }, ({ answer }) => answer("x".repeat(5_000_000)))
    const caller = await Caller.open(wire.port)
    caller.socket.pause()
    caller.send(get("/").repeat(20_000))
    // The server replaces `push` when it begins to drop what the client sends.
    const isClosing = () => Object.hasOwn(wire.sockets[0] ?? {}, "push")
    while (!isClosing()) await nextTick()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stillMillis)
    await until(() => wire.closed.length > 0, "the connection to be closed")
    expect(wire.closed[0]?.[0]).toBe("slow_reader")
    caller.socket.resume()
    await caller.ended
    expect(caller.isReset).toBe(false)
    expect(caller.received.length).toBeGreaterThan(200_000)
  })

  it("does not get a 408 for requests that the service has not yet read", async () => {
    const bytes = 10_000
    const wire = await startWire({ headMillis: 1_000, requestMillis: 1_000 }, ({ answer }) => answer("x".repeat(bytes)))
    const caller = await Caller.open(wire.port)
    let received = 0
    let last = ""
    caller.socket.on("read", (chunk: Buffer) => {
      received += chunk.length
      last = chunk.toString("latin1")
    })
    const requests = 1_500
    caller.send((get("/") + get("/longer", `X: ${"x".repeat(50)}`)).repeat(requests / 2))
    const reading = readSteadily(caller, 5_000_000).catch(() => {})
    await until(() => received > requests * bytes || wire.sockets[0]?.closed === true, "every response")
    expect(last).not.toContain("request_timeout")
    expect(wire.sockets[0]?.closed).toBe(false)
    caller.socket.destroy()
    await reading
  })
})

describe("a head", () => {
  const headOf = (bytes: number): string => {
    const rest = get("/", "X: ").length
    return get("/", `X: ${"x".repeat(bytes - rest)}`)
  }
  const linesOf = (lines: number): string => get("/", ...Array.from({ length: lines - 1 }, () => "a: b"))

  it.for([
    ["of 16384 bytes is read", headOf(16_384), "200 /", ""],
    ["of 16385 bytes is refused", headOf(16_385), "431 headers_too_large", "larger than 16384 bytes"],
    ["of 1000 lines is read", linesOf(1_000), "200 /", ""],
    ["of 1001 lines is refused", linesOf(1_001), "431 headers_too_large", "more than 1000 header lines"],
    ["with the RTSP protocol is refused", "GET / RTSP/1.0\r\nHost: a\r\n\r\n", "400 malformed_request", ""],
  ] as const)("%s", async ([, bytes, response, sentence]) => {
    const wire = await startWire({}, answerAtOnce)
    const caller = await Caller.open(wire.port)
    caller.send(bytes)
    await until(() => caller.responses.length === 1 && caller.responses[0]?.startsWith("cut") === false, "the response")
    expect(caller.responses).toStrictEqual([response])
    expect(caller.received).toContain(sentence)
  })
})

describe("a process over its memory budget", () => {
  it("runs one more request, and then sends a refusal as the last response", async () => {
    const wire = await startWire({ budget: new Budget(1_000) })
    const caller = await Caller.open(wire.port)
    caller.send(get("/1") + get("/2") + get("/never").repeat(1_000))
    for (const number of [1, 2]) {
      await until(() => wire.asked.length === number, `request ${number}`)
      await sleep(20)
      expect(wire.asked).toHaveLength(number)
      wire.asked[number - 1]?.answer()
    }
    await caller.ended
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2", "503 service_overloaded"])
    expect(caller.isReset).toBe(false)
  })

  it("reads nothing more from a refused connection that Node has paused because of long responses", async () => {
    const budget = new Budget(67_108_864)
    const wire = await startWire({ budget, pipelineLimit: 3 })
    const othersBytes = 2 * budget.limitBytes
    wire.server.on("request", ({ url }) => {
      if (url === "/5") budget.bytes += othersBytes
    })
    const caller = await Caller.open(wire.port)
    caller.send([1, 2, 3, 4, 5].map((number) => get(`/${number}`)).join("") + get("/never").repeat(100_000))
    await until(() => wire.asked.length === 3, "three requests")
    const long = "x".repeat(500_000)
    wire.asked[2]?.answer(long)
    wire.asked[0]?.answer()
    await until(() => budget.bytes > othersBytes, "the fifth request")
    const readBytes = wire.sockets[0]?.bytesRead
    await sleep(50)
    expect(wire.sockets[0]?.bytesRead).toBe(readBytes)
    expect(budget.unparsedBytes).toBe(0)
    for (const number of [1, 3]) wire.asked[number]?.answer()
    await until(() => wire.asked.length === 5, "the fifth request to run")
    wire.asked[4]?.answer()
    await caller.ended
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2", `200 ${long}`, "200 /4", "200 /5", "503 service_overloaded"])
    caller.socket.destroy()
    await until(() => budget.bytes === othersBytes, "all memory to be free")
  })
})

describe("clients that read nothing", () => {
  it("are disconnected after a request was refused for lack of memory, those with the most unread bytes first", async () => {
    const budget = new Budget(100_000_000)
    const wire = await startWire({ budget }, ({ request, response, answer }) => {
      const bytes = Number(request.url?.slice(1))
      reserve(response, bytes)
      answer("x".repeat(bytes))
    })
    for (const bytes of [20_000_000, 40_000_000, 30_000_000]) {
      const caller = await Caller.open(wire.port)
      caller.socket.pause()
      caller.send(get(`/${bytes}`))
    }
    await until(() => budget.bytes > 90_000_000, "three responses")
    await sleep(1_100)
    expect(wire.closed).toStrictEqual([])
    expect(budget.hasRoomFor(20_000_000, 1)).toBe(false)
    await until(() => wire.closed.length > 0, "a disconnect")
    expect(wire.closed).toStrictEqual([["slow_reader", "GET"]])
    expect(wire.sockets.map(({ destroyed }) => destroyed)).toStrictEqual([false, true, false])
    expect(budget.hasRoomFor(20_000_000, 1)).toBe(true)
  })
})

describe("a response in parts", () => {
  it("uses the memory budget for its unsent bytes, even if its head announces more than the budget", async () => {
    const budget = new Budget(1_000_000)
    const wire = await startWire({ budget }, ({ response }) => {
      response.setHeader("Content-Length", 1_000_000_000)
      response.write("x")
    })
    const caller = await Caller.open(wire.port)
    caller.send(get("/"))
    await until(() => wire.asked.length === 1, "the request")
    expect(budget.bytes).toBeLessThan(10_000)
  })

  it("uses no more memory once the network has taken its parts, even if it does not end", async () => {
    const budget = new Budget(1_000_000)
    const wire = await startWire({ budget, keepAliveMillis: 200 }, ({ response }) => void response.write("x".repeat(100_000)))
    const caller = await Caller.open(wire.port)
    caller.send(get("/"))
    await until(() => caller.received.length > 100_000, "the part")
    await until(() => budget.bytes < 10_000, "the memory to be free")
  })
})

describe("a response whose length is announced before its body is written", () => {
  it("uses no memory until then", async () => {
    const budget = new Budget(1_000_000)
    const wire = await startWire({ budget }, ({ response }) => {
      response.writeHead(200, ["Content-Length", "1000000000"]).flushHeaders()
    })
    const caller = await Caller.open(wire.port)
    caller.send(get("/"))
    await until(() => caller.received !== "", "the head")
    expect(budget.bytes).toBeLessThan(10_000)
  })
})

describe("servers that have closed", () => {
  it("leave nothing behind", async () => {
    const servers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const server = createBoundedServer(() => {}).listen(0)
        await once(server, "listening")
        await once(server.close(), "close")
        return new WeakRef(server)
      }),
    )
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc")
    await until(() => {
      collect()
      return servers.some((server) => server.deref() === undefined)
    }, "a server to be collected")
  })
})

describe("a response whose head has a length that is not a number", () => {
  it("leaves the memory budget a number", async () => {
    const budget = new Budget(1_000_000)
    const wire = await startWire({ budget }, ({ response }) => {
      response.setHeader("Content-Length", "Infinity")
      response.end("x")
    })
    const caller = await Caller.open(wire.port)
    caller.send(get("/"))
    await until(() => wire.asked.length === 1, "the request")
    expect(budget.bytes).toBeLessThan(10_000)
  })
})

describe("the trailers of a chunked body", () => {
  const start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
  const lines = (count: number): string => "ab: c\r\n".repeat(count)

  it("use the memory budget while they arrive, and are refused beyond a quarter of it", async () => {
    const budget = new Budget(1_000_000)
    const wire = await startWire({ budget }, ({ request }) => void request.on("error", () => {}).resume())
    const callers = [await Caller.open(wire.port), await Caller.open(wire.port)]
    callers[0]?.send(start + lines(1_000))
    await until(() => budget.unparsedBytes > 100_000, "the trailers to be counted")
    callers[1]?.send(start + lines(2_000))
    await callers[1]?.ended
    expect(callers[1]?.responses).toStrictEqual(["503 service_overloaded"])
    callers[0]?.socket.destroy()
    await until(() => budget.bytes === 0, "both connections to be forgotten")
  })

  it.for([64, 65])("are kept up to 64 lines: %d", async (count) => {
    const wire = await startWire({}, ({ request, answer }) =>
      request.resume().once("end", () => answer(`${request.rawTrailers.length} ${Object.keys(request.trailers).length}`)),
    )
    const caller = await Caller.open(wire.port)
    caller.send(`${start + lines(count)}\r\n`)
    await until(() => caller.responses.length === 1, "the response")
    expect(caller.responses).toStrictEqual([count === 64 ? "200 128 1" : "200 0 0"])
  })
})

describe("an unfinished head", () => {
  it("uses the memory budget, and is refused if unfinished heads hold more than a quarter of the budget", async () => {
    const budget = new Budget(200_000)
    const wire = await startWire({ budget })
    const lines = (from: number) => Array.from({ length: 100 }, (_, line) => `h${from + line}: x`).join("\r\n")
    const [first, second] = [await Caller.open(wire.port), await Caller.open(wire.port)]
    first.send(`GET /first HTTP/1.1\r\nHost: a\r\n${lines(0)}\r\n`)
    await until(() => budget.unparsedBytes > 10_000, "the first head to be counted")
    second.send(
      `GET /second HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 5 }, (_, part) => lines(100 * part)).join("\r\n")}\r\n`,
    )
    await second.ended
    expect(second.responses).toStrictEqual(["503 service_overloaded"])
    first.send("\r\n")
    await until(() => wire.asked.length === 1, "the first request")
    expect(budget.unparsedBytes).toBe(0)
    expect(budget.bytes).toBeGreaterThan(10_000)
    wire.asked[0]?.answer()
    await until(() => first.responses[0] === "200 /first", "the first response")
    expect(budget.bytes).toBe(0)
  })

  it("uses the memory budget if it follows a request, unlike the body before it", async () => {
    const budget = new Budget(1_000_000)
    const wire = await startWire({ budget }, ({ request, answer }) => void request.resume().once("end", () => answer()))
    const caller = await Caller.open(wire.port)
    caller.send(post("/1", "x".repeat(100_000)) + post("/2", "x".repeat(10)))
    await until(() => caller.responses.length === 2, "two responses")
    expect(budget.bytes).toBe(0)
    caller.send(`${post("/3", "x")}GET /4?${"x".repeat(5_000)}`)
    await until(() => caller.responses.length === 3, "the third response")
    expect(budget.bytes).toBeGreaterThan(5_000)
  })

  it.for([
    ["empty lines after a request", get("/"), "\r\n", 1],
    ["empty lines", "", "\r\n", 0],
    ["spaces", "GET / HTTP/1.1\r\nHost: a\r\nX:", "  ", 0],
  ] as const)("does not use the memory budget for %s, which the parser discards", async ([, start, filler, answers]) => {
    const budget = new Budget(4_000_000)
    const wire = await startWire({ budget }, answerAtOnce)
    const [filling, other] = [await Caller.open(wire.port), await Caller.open(wire.port)]
    filling.send(start)
    await until(() => filling.responses.length === answers, "the response")
    filling.send(filler.repeat(499_950))
    await until(() => (wire.sockets[0]?.bytesRead ?? 0) === start.length + 999_900, "the filler to be read")
    expect(budget.unparsedBytes).toBeLessThan(20_000)
    other.send(`GET /split HTTP/1.1\r\nX: ${"x".repeat(500)}\r\n`)
    await sleep(20)
    other.send("Host: a\r\n\r\n")
    await until(() => other.responses.length === 1, "the other client's response")
    expect(other.responses).toStrictEqual(["200 /split"])
  })

  it.for([
    ["empty lines", "\r\n", "\r\n", get("/")],
    ["spaces", `GET / HTTP/1.1\r\nHost: a\r\nX:${" ".repeat(20_000)}`, "  ", "\r\n\r\n"],
  ] as const)("with many %s lets other connections run after each read", async ([, start, filler, end]) => {
    const wire = await startWire({}, answerAtOnce)
    const caller = await Caller.open(wire.port)
    await until(() => wire.sockets.length === 1, "the connection")
    const bytesOfTicks: Array<number> = []
    let before = 0
    const watch = (): void => {
      const bytes = wire.sockets[0]?.bytesRead ?? 0
      bytesOfTicks.push(bytes - before)
      before = bytes
      if (bytes < start.length + 2_000_000) setImmediate(watch)
    }
    caller.send(start)
    await until(() => wire.sockets[0]?.bytesRead === start.length, "the start to be read")
    caller.send(filler.repeat(1_000_000))
    watch()
    await until(() => before === start.length + 2_000_000, "all bytes to be read")
    expect(Math.max(...bytesOfTicks.slice(1))).toBeLessThanOrEqual(2 * 65_536)
    caller.send(end)
    await until(() => caller.responses.length === 1, "the response")
    expect(caller.responses).toStrictEqual(["200 /"])
  })
})

describe("requests with many header lines", () => {
  it("use their connection's budget for these lines", async () => {
    const wire = await startWire({ connectionBudgetBytes: 300_000 })
    const caller = await Caller.open(wire.port)
    caller.send(get("/", ...Array.from({ length: 900 }, () => "a: b")).repeat(10))
    await until(() => wire.asked.length === 2, "two requests")
    await sleep(50)
    expect(wire.asked).toHaveLength(2)
  })
})

describe("a body in one-byte chunks", () => {
  it("arrives complete, in fewer than 600 pieces for 60 000 chunks", async () => {
    const sizes: Array<number> = []
    const wire = await startWire({}, ({ request, answer }) => {
      request.on("data", (chunk: Buffer) => void sizes.push(chunk.length)).on("end", () => answer("whole"))
    })
    const caller = await Caller.open(wire.port)
    caller.send(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(60_000)}0\r\n\r\n`)
    await until(() => caller.responses[0] === "200 whole", "the response")
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60_000)
    expect(sizes.length).toBeLessThan(600)
  })

  it("is refused before it is fully parsed, and its connection closes", async () => {
    const wire = await startWire({}, ({ request, answer, response }) => {
      request.once("data", () => {
        response.statusCode = 413
        answer("too much")
      })
    })
    const caller = await Caller.open(wire.port)
    caller.send(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(100_000)}`)
    await caller.ended
    expect(caller.isReset).toBe(false)
    expect(caller.received).toContain("Connection: close")
  })
})

describe("a refused chunked body", () => {
  it("leaves the connection open if head and body arrived together", async () => {
    const wire = await startWire({}, ({ response, answer }) => {
      response.statusCode = 401
      // Like the service, this handler responds after a promise has settled.
      queueMicrotask(() => answer("no"))
    })
    const caller = await Caller.open(wire.port)
    const chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
    caller.send(chunked + get("/"))
    await until(() => caller.responses.length === 2, "both responses")
    expect(caller.received).not.toContain("Connection: close")
  })
})

describe("connections beyond the limit", () => {
  it("get a refusal unless they request a health check, and have little time to send one request", async () => {
    const wire = await startWire({ connectionLimit: 1 }, answerAtOnce)
    const first = await Caller.open(wire.port)
    const [health, other, silent] = [await Caller.open(wire.port), await Caller.open(wire.port), await Caller.open(wire.port)]
    health.send(get("/healthz") + get("/readyz"))
    other.send(get("/v1/pets"))
    await Promise.all([health.ended, other.ended])
    expect([health.responses, other.responses]).toStrictEqual([["200 /healthz"], ["503 service_overloaded"]])
    expect(other.received).toMatch(/\r\nRetry-After: 1\r\n/)
    const openedAt = performance.now()
    await silent.ended
    expect(performance.now() - openedAt).toBeLessThan(2_000)
    await until(() => wire.closed.length === 2, "both refused connections to be counted")
    expect(wire.closed).toStrictEqual([["connection_limit"], ["connection_limit"]])
    first.send(get("/", "Connection: close"))
    await first.ended
    expect(first.responses).toStrictEqual(["200 /"])
  })
})
