/** Which requests on a connection run, the order of their responses, and the connection's end (specification, section 16). */
import { setTimeout as sleep } from "node:timers/promises"
import { Caller, get, post, until } from "@petstore/harness/caller"
import { describe, expect, it } from "vitest"
import { takeBody } from "../src/node.js"
import { type Asked, startWire } from "./wire.js"

/** Invalid messages, with the response to each. */
const broken: ReadonlyArray<readonly [name: string, bytes: string, refusal: string]> = [
  ["nonsense", "nonsense\r\n\r\n", "400 malformed_request"],
  ["a surplus byte", "!", "400 malformed_request"],
  ["a request without Host", "GET /behind HTTP/1.1\r\n\r\n", "400 malformed_request"],
  ["a head that is too large", get("/large", `X: ${"x".repeat(20_000)}`), "431 headers_too_large"],
  ["CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "400 malformed_request"],
  ["the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 malformed_request"],
  [
    "two transfer codings",
    post("/coded", "", "Transfer-Encoding: gzip, chunked").replace("Content-Length: 0\r\n", ""),
    "400 malformed_request",
  ],
]

describe("a malformed message", () => {
  it.for(broken)("is refused after the earlier responses: %s", async ([, bytes, refusal]) => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.send(get("/1") + get("/2") + bytes + post("/never", ""))
    await until(() => wire.asked.length === 2, "two requests")
    await sleep(20)
    expect(caller.received).toBe("")
    wire.asked[1]?.answer()
    wire.asked[0]?.answer()
    await caller.ended
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2", refusal])
    expect(wire.asked).toHaveLength(2)
    expect(wire.closed).toStrictEqual([])
  })

  it.for(broken)("is refused at once if it is the first message, and no later request runs: %s", async ([, bytes, refusal]) => {
    const wire = await startWire({}, ({ answer }) => answer())
    const caller = await Caller.open(wire.port)
    caller.send(bytes + post("/never", "x".repeat(300_000)))
    // Sent as a separate segment, to which a closed connection would respond with a reset.
    await sleep(20)
    caller.send(post("/never", "x".repeat(100_000)))
    await caller.ended
    await sleep(20)
    expect(caller.isReset).toBe(false)
    expect(caller.responses).toStrictEqual([refusal])
    expect(wire.asked).toHaveLength(0)
  })

  it("ends a body with MessageRefused, to which the listener may respond", async () => {
    const wire = await startWire({}, ({ request, answer }) => void request.on("error", ({ name }) => answer(name)).resume())
    const caller = await Caller.open(wire.port)
    caller.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
    await caller.ended
    expect(caller.responses).toStrictEqual(["200 MessageRefused"])
  })
})

describe("a client that sends CONNECT", () => {
  it("can reset the connection without affecting other clients", async () => {
    const wire = await startWire({}, ({ answer }) => answer())
    for (let turn = 0; turn < 20; turn += 1) {
      const caller = await Caller.open(wire.port)
      caller.send("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n")
      await sleep(turn % 3)
      caller.socket.resetAndDestroy()
    }
    const other = await Caller.open(wire.port)
    other.send(get("/well", "Connection: close"))
    await other.ended
    expect(other.responses).toStrictEqual(["200 /well"])
  })

  it("gets an earlier response whose listener waits for `drain`", async () => {
    const part = "x".repeat(3_000_000)
    const wire = await startWire({}, ({ response }) => {
      response.writeHead(200, ["Content-Length", String(2 * part.length)]).write(part)
      response.once("drain", () => response.end(part))
    })
    const caller = await Caller.open(wire.port)
    caller.send(`${get("/1")}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`)
    await caller.ended
    expect(caller.responses).toStrictEqual([`200 ${part}${part}`, "400 malformed_request"])
  })

  it("is counted if it disconnects before its responses arrive", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.send(`${get("/1") + get("/2")}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`)
    await until(() => wire.asked.length === 2, "two requests")
    const closed = Promise.all(wire.asked.map(({ response }) => new Promise((resolve) => response.once("close", resolve))))
    caller.socket.resetAndDestroy()
    await closed
    expect(wire.closed).toStrictEqual([["client_disconnected", "GET", "GET"]])
  })
})

describe("the last request on a connection", () => {
  it.for([
    ["it says Connection: close", get("/last", "Connection: close")],
    ["it uses HTTP/1.0", "GET /last HTTP/1.0\r\n\r\n"],
    ["it uses HTTP/1.0 and closes", "GET /last HTTP/1.0\r\nConnection: close\r\n\r\n"],
  ] as const)("is the last that runs, because %s", async ([, last]) => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.send(get("/first") + last + post("/never", ""))
    await until(() => wire.asked.length === 2, "two requests")
    caller.send(post("/never", "x".repeat(100_000)))
    wire.asked[1]?.answer()
    wire.asked[0]?.answer()
    await caller.ended
    await sleep(20)
    expect(caller.isReset).toBe(false)
    expect(caller.responses).toStrictEqual(["200 /first", "200 /last"])
    expect(caller.received).toMatch(/Connection: close\r\n[\s\S]*\/last$/)
    expect(wire.asked).toHaveLength(2)
  })

  it("is not one in HTTP/1.0 that asks for keep-alive, and the next one runs after its response", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    const old = (target: string) => `GET ${target} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`
    caller.send(old("/1") + old("/2") + get("/3"))
    for (const turn of [0, 1, 2]) {
      await until(() => wire.asked.length === turn + 1, "the next request")
      await sleep(20)
      expect(wire.asked).toHaveLength(turn + 1)
      wire.asked[turn]?.answer()
    }
    await until(() => caller.responses.length === 3, "three responses")
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2", "200 /3"])
    expect(caller.received.match(/Connection: keep-alive\r\n/g)).toHaveLength(3)
  })

  it.for([
    ["without a body", get("/offer", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAA"), ""],
    ["with a body", post("/offer", "a body", "Connection: Upgrade", "Upgrade: h2c"), "a body"],
    [
      "with a chunked body",
      "POST /offer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n6\r\na body\r\n0\r\n\r\n",
      "a body",
    ],
    [
      "with a body that looks like a request",
      post("/offer", get("/inside"), "Connection: Upgrade", "Upgrade: websocket"),
      get("/inside"),
    ],
  ] as const)("is not one that offers another protocol %s: the offer is ignored", async ([, offer, sent]) => {
    const wire = await startWire({}, ({ request, answer }) => {
      let body = ""
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString("latin1")
      })
      if (request.readableEnded) answer("")
      else request.on("end", () => answer(body))
    })
    const caller = await Caller.open(wire.port)
    // In one piece, in which Node loses the bytes behind an offer, and with the offer cut anywhere.
    caller.send(get("/first") + offer + offer + get("/last"))
    await until(() => caller.responses.length === 4, "four responses")
    for (const byte of offer + get("/last")) {
      caller.send(byte)
      await sleep(0)
    }
    await until(() => caller.responses.length === 6, "six responses")
    expect(caller.responses).toStrictEqual([
      "200",
      `200 ${sent}`.trim(),
      `200 ${sent}`.trim(),
      "200",
      `200 ${sent}`.trim(),
      "200",
    ])
    expect(caller.received).not.toContain("Connection: close")
  })

  it("leaves the connection open while the client continues to send, but not while the client is silent", async () => {
    const wire = await startWire({}, ({ answer }) => answer())
    const [sending, silent] = [await Caller.open(wire.port), await Caller.open(wire.port)]
    for (const caller of [sending, silent]) caller.send(get("/last", "Connection: close"))
    while (wire.sockets[1]?.closed !== true) {
      await sleep(50)
      sending.send("x".repeat(1_000))
    }
    expect(sending.isReset).toBe(false)
    expect(sending.responses).toStrictEqual(["200 /last"])
    expect(wire.sockets[0]?.closed).toBe(false)
    await until(() => wire.sockets[0]?.closed === true, "the connection to be closed in silence")
    expect(wire.asked).toHaveLength(2)
  })

  it.for([
    ["is the one whose long body was refused", 100_000, ["413 /"]],
    ["is not the one whose short body was refused", 50_000, ["413 /", "413 /next"]],
  ] as const)("%s", async ([, length, responses]) => {
    const wire = await startWire({}, ({ response, answer }) => {
      response.statusCode = 413
      answer()
    })
    const caller = await Caller.open(wire.port)
    caller.send(post("/", "x".repeat(length)) + get("/next", "Connection: close"))
    await caller.ended
    expect(caller.responses).toStrictEqual(responses)
  })

  it("allocates little memory for bytes that the client sends later", async () => {
    const wire = await startWire({}, ({ answer }) => answer())
    const caller = await Caller.open(wire.port)
    caller.send(get("/last", "Connection: close"))
    await until(() => caller.responses.length === 1, "the last response")
    const chunk = Buffer.alloc(1_048_576, "x")
    const before = process.memoryUsage().arrayBuffers
    let most = before
    for (let sent = 0; sent < 32; sent += 1) {
      await new Promise((resolve) => caller.socket.write(chunk, resolve))
      most = Math.max(most, process.memoryUsage().arrayBuffers)
    }
    await until(() => (wire.sockets[0]?.bytesRead ?? 0) > 32 * chunk.length, "all bytes to be read")
    expect(Math.max(most, process.memoryUsage().arrayBuffers) - before).toBeLessThan(8 * chunk.length)
    caller.socket.end()
    await until(() => wire.sockets[0]?.closed === true, "the connection to be closed")
  })

  it.for([
    ["a request", get("/last", "Connection: close") + get("/never"), ["200 /last"]],
    ["nonsense", `${get("/last")}nonsense\r\n\r\n`, ["200 /last", "400 malformed_request"]],
  ] as const)(
    "leaves the connection open while the client continues to send after a message that was held back: %s",
    async ([, bytes, responses]) => {
      const wire = await startWire()
      const caller = await Caller.open(wire.port)
      caller.send(bytes)
      await until(() => wire.sockets[0]?.isPaused() === true, "the later bytes to be held")
      wire.asked[0]?.answer()
      const more = "x".repeat(100_000)
      caller.send(more)
      const socket = wire.sockets[0]
      await until(() => socket?.closed === true || socket?.bytesRead === bytes.length + more.length, "the later bytes to be read")
      expect(socket?.bytesRead).toBe(bytes.length + more.length)
      await caller.ended
      expect(caller.responses).toStrictEqual(responses)
    },
  )

  it("gets a response even if the client has closed its sending side", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.socket.end(get("/1") + get("/2"))
    await until(() => wire.asked.length === 2, "two requests")
    await sleep(20)
    for (const { answer } of wire.asked) answer()
    await caller.closed
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2"])
    await until(() => wire.sockets[0]?.closed === true, "the connection to close on both sides")
  })

  it("is followed by 400 if the client closes its sending side in the middle of the next request", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.socket.end(`${get("/1")}GET /2 HTTP/1.1\r\nHo`)
    await until(() => wire.asked.length === 1, "the first request")
    wire.asked[0]?.answer()
    await caller.closed
    expect(caller.responses).toStrictEqual(["200 /1", "400 malformed_request"])
  })
})

describe("pipelined requests", () => {
  it("run concurrently up to the limit, and later ones run in order as responses are sent", async () => {
    const wire = await startWire({ pipelineLimit: 3 })
    const caller = await Caller.open(wire.port)
    const targets = Array.from({ length: 100 }, (_, number) => `/${number}`)
    caller.send(targets.map((target) => get(target)).join(""))
    await until(() => wire.asked.length === 3, "three requests")
    await sleep(20)
    expect(wire.asked).toHaveLength(3)
    // The first request gets its response last, so the other responses wait.
    wire.asked[2]?.answer()
    wire.asked[1]?.answer()
    await sleep(20)
    expect(wire.asked).toHaveLength(3)
    wire.asked[0]?.answer()
    await until(() => wire.asked.length === 6, "three more")
    for (let next = 3; next < targets.length; next += 1) {
      await until(() => wire.asked.length > next, `request ${next}`)
      wire.asked[next]?.answer()
    }
    await until(() => caller.responses.length === targets.length, "every response")
    expect(caller.responses).toStrictEqual(targets.map((target) => `200 ${target}`))
    // The connection stays usable.
    caller.send(get("/again"))
    await until(() => wire.asked.length === targets.length + 1, "one more")
  })

  it("do not start while unread responses hold too many bytes, and the service stops reading", async () => {
    const wire = await startWire({ unreadLimitBytes: 100_000 }, ({ answer }) => answer("x".repeat(50_000)))
    const caller = await Caller.open(wire.port)
    caller.socket.pause()
    const flood = get("/flood").repeat(100_000)
    caller.send(flood)
    const held = () => wire.sockets[0]?.writableLength ?? 0
    await until(() => held() > 0, "a response that the client has not read")
    // Waits until the service stops reading or has read everything.
    let [ran, read] = [-1, -1]
    while (ran !== wire.asked.length || read !== wire.sockets[0]?.bytesRead) {
      ;[ran, read] = [wire.asked.length, wire.sockets[0]?.bytesRead ?? 0]
      await sleep(300)
    }
    expect(wire.asked.filter(({ response }) => !response.writableFinished).length).toBeLessThan(5)
    expect(flood.length - read).toBeGreaterThan(1_000_000)
    // A client that reads again gets the rest.
    caller.socket.resume()
    await until(() => wire.asked.length > ran + 100, "more requests")
  })

  it("with long heads run over several ticks, even if each gets its response at once", async () => {
    let [ran, ranInTick, most] = [0, 0, 0]
    const wire = await startWire({}, ({ answer }) => {
      if (ranInTick === 0) {
        setImmediate(() => {
          ranInTick = 0
        })
      }
      ran += 1
      ranInTick += 1
      most = Math.max(most, ranInTick)
      answer()
    })
    const caller = await Caller.open(wire.port)
    caller.send(get("/", ...Array.from({ length: 100 }, () => "a:")).repeat(2_000))
    await until(() => ran === 2_000, "every request to run")
    // A tick may start 128 short requests. Each request of this test counts as three short ones.
    expect(most).toBeLessThan(80)
  })

  it("run alone and in order if their methods are not safe", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.send(get("/1") + get("/2") + post("/3", "") + get("/4") + post("/5", ""))
    for (const [ran, answered] of [
      [2, 0],
      [2, 1],
      [3, 2],
      [4, 3],
      [5, 4],
    ] as const) {
      await until(() => wire.asked.length === ran, `request ${ran}`)
      await sleep(20)
      expect(wire.asked).toHaveLength(ran)
      wire.asked[answered]?.answer()
    }
    await until(() => caller.responses.length === 5, "every response")
    expect(caller.responses).toStrictEqual(["/1", "/2", "/3", "/4", "/5"].map((target) => `200 ${target}`))
  })

  it("get their own bodies after waiting, whatever the length of the bodies", async () => {
    const wire = await startWire({ pipelineLimit: 1 }, ({ request, answer }) => {
      let bytes = 0
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length
      })
      request.once("end", () => setTimeout(() => answer(String(bytes)), 5))
    })
    const caller = await Caller.open(wire.port)
    const sizes = [10, 300_000, 0, 70_000, 1]
    caller.send(sizes.map((size) => post("/", "x".repeat(size))).join(""))
    await until(() => caller.responses.length === sizes.length, "every response")
    expect(caller.responses).toStrictEqual(sizes.map((size) => `200 ${size}`))
  })
})

describe("requests for long responses", () => {
  it("of many clients run over several ticks, but a health check does not wait for them", async () => {
    let [ranInTick, most] = [0, 0]
    const wire = await startWire({}, ({ request, answer }) => {
      if (ranInTick === 0) {
        setImmediate(() => {
          ranInTick = 0
        })
      }
      ranInTick += 1
      most = Math.max(most, ranInTick)
      answer(request.url === "/long" ? "x".repeat(131_072) : "")
    })
    const callers = await Promise.all(Array.from({ length: 200 }, () => Caller.open(wire.port)))
    for (const caller of callers) caller.send(get("/"))
    await until(() => callers.every(({ received }) => received !== ""), "a response on each connection")
    const [prober, ...others] = callers
    most = 0
    // Now the system has every request before the server reads one.
    for (const caller of others) caller.send(get("/long"))
    prober?.send(get("/healthz"))
    await until(() => wire.asked.length === 400, "every request to run")
    // A tick sends about 2 MB: 16 of these responses to first requests, and 16 to requests that have waited.
    expect(most).toBeLessThan(40)
    expect(wire.asked.findIndex(({ request }) => request.url === "/healthz")).toBeLessThan(240)
    await until(() => callers.every(({ responses }) => responses.length === 2), "every response")
  })
})

describe("a client that pauses", () => {
  it("is disconnected after a response has waited too long, and the requests that ran are reported", async () => {
    const wire = await startWire(
      { readMillis: 200, pipelineLimit: 2, unreadLimitBytes: 1e8, connectionBudgetBytes: 1e8 },
      ({ answer }) => answer("x".repeat(10_000_000)),
    )
    const caller = await Caller.open(wire.port)
    caller.socket.pause()
    caller.send(get("/1") + get("/2") + get("/3"))
    await until(() => wire.closed.length > 0, "the connection to be closed")
    expect(wire.closed).toStrictEqual([["slow_reader", "GET", "GET"]])
  })

  it("is not disconnected while it reads one response after another", async () => {
    const bytes = 3_000_000
    const wire = await startWire({ readMillis: 2_000 }, ({ answer }) => answer("x".repeat(bytes)))
    const caller = await Caller.open(wire.port)
    caller.send(get("/").repeat(8))
    // In total, the pauses are longer than the timeout, but each one is much shorter.
    for (let turn = 1; turn <= 8; turn += 1) {
      caller.socket.pause()
      await sleep(300)
      caller.socket.resume()
      await until(() => caller.received.length > turn * bytes, "a response")
    }
    expect(wire.closed).toStrictEqual([])
  })

  it("is disconnected after the idle timeout, but not while a response is pending", async () => {
    const keepAliveMillis = 100
    const wire = await startWire({ keepAliveMillis })
    const [idle, waiting] = [await Caller.open(wire.port), await Caller.open(wire.port)]
    waiting.send(get("/1"))
    idle.send(get("/2"))
    await until(() => wire.asked.length === 2, "two requests")
    const idleSinceMillis = performance.now()
    wire.asked.find(({ request }) => request.url === "/2")?.answer()
    await idle.ended
    expect(performance.now() - idleSinceMillis).toBeGreaterThan(keepAliveMillis)
    wire.asked.find(({ request }) => request.url === "/1")?.answer()
    await waiting.ended
    expect([idle.responses, waiting.responses]).toStrictEqual([["200 /2"], ["200 /1"]])
    expect(wire.closed).toStrictEqual([])
  })
})

describe("a server that drains", () => {
  const options = { idleMillis: 10_000, deadlineMillis: 20_000 }

  it("responds to received requests, announces the close in the last response, and ignores later requests", async () => {
    const wire = await startWire({ pipelineLimit: 2 })
    const caller = await Caller.open(wire.port)
    caller.send(["/1", "/2", "/3"].map((target) => get(target)).join(""))
    await until(() => wire.asked.length === 2, "two requests")
    const drained = wire.server.drain(options)
    caller.send(post("/never", ""))
    wire.asked[0]?.answer()
    wire.asked[1]?.answer()
    await until(() => wire.asked.length === 3, "the third request")
    wire.asked[2]?.answer()
    await caller.ended
    caller.socket.end()
    await drained
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2", "200 /3"])
    expect(caller.received.split("Connection: close")).toHaveLength(2)
    expect(wire.asked).toHaveLength(3)
  })

  it("announces the close only in a pending refusal", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    const broken = "!\r\n\r\n"
    caller.send(get("/1") + broken)
    await until(() => wire.sockets[0]?.bytesRead === get("/1").length + broken.length, "all bytes to be read")
    void wire.server.drain(options)
    wire.asked[0]?.answer()
    await caller.ended
    expect(caller.responses).toStrictEqual(["200 /1", "400 malformed_request"])
    expect(caller.received.split("Connection: close")).toHaveLength(2)
  })

  it("runs one more request on a connection that was idle", async () => {
    const wire = await startWire({}, ({ answer }) => answer())
    const caller = await Caller.open(wire.port)
    caller.send(get("/1"))
    await until(() => caller.responses.length === 1, "the first response")
    const drained = wire.server.drain(options)
    caller.send(get("/2") + get("/never"))
    await caller.ended
    caller.socket.end()
    await drained
    expect(caller.responses).toStrictEqual(["200 /1", "200 /2"])
    expect(wire.asked).toHaveLength(2)
  })

  it("closes silent connections, and waits for a client that is still reading its response", async () => {
    const bytes = 10_000_000
    const wire = await startWire({}, ({ answer }) => answer("x".repeat(bytes)))
    const [reading, unused, used] = [await Caller.open(wire.port), await Caller.open(wire.port), await Caller.open(wire.port)]
    used.send(get("/"))
    await until(() => used.received.length > bytes, "the first response")
    reading.socket.pause()
    reading.send(get("/"))
    await until(() => wire.asked.length === 2, "the second request")
    const drained = wire.server.drain({ idleMillis: 100, deadlineMillis: 20_000 })
    await Promise.all([unused.ended, used.ended])
    await sleep(300)
    reading.socket.resume()
    await until(() => reading.received.length > bytes, "the whole response")
    reading.send(get("/last"))
    await reading.ended
    for (const { socket } of [reading, unused, used]) socket.end()
    await drained
    expect(wire.closed).toStrictEqual([])
  })

  it("counts requests that get no response before the deadline", async () => {
    const wire = await startWire()
    const caller = await Caller.open(wire.port)
    caller.send(get("/1") + get("/2"))
    await until(() => wire.asked.length === 2, "two requests")
    await wire.server.drain({ idleMillis: 10, deadlineMillis: 50 })
    expect(wire.closed).toStrictEqual([["shutdown", "GET", "GET"]])
  })
})

describe("a body that the listener takes", () => {
  const taking = ({ request, answer }: Asked, failed: Array<string> = []): void => {
    const chunks: Array<string> = []
    request.on("error", ({ name }) => void failed.push(name))
    const isTaken = takeBody(
      request,
      (chunk) => void chunks.push(chunk.toString()),
      () => answer(`[${chunks.join("+")}]`),
    )
    if (!isTaken) request.resume().on("end", () => answer("by its stream"))
  }

  it("comes in the parts in which it was read, and the next request runs", async () => {
    const wire = await startWire({}, taking)
    const caller = await Caller.open(wire.port)
    const [head = "", body = ""] = post("/1", "first second").split("\r\n\r\n")
    caller.send(`${head}\r\n\r\n`)
    for (const part of body.split(" ")) {
      await sleep(20)
      caller.send(part === "first" ? "first " : part)
    }
    caller.send(post("/2", "whole"))
    await until(() => caller.responses.length === 2, "two responses")
    expect(caller.responses).toStrictEqual(["200 [first +second]", "200 [whole]"])
    await until(() => wire.asked.every(({ request }) => request.closed), "the ends of both streams")
  })

  it("is left to the stream if it is chunked, or has begun", async () => {
    const wire = await startWire({}, (asked) => setTimeout(taking, asked.request.url === "/late" ? 50 : 0, asked))
    const caller = await Caller.open(wire.port)
    caller.send(
      `${post("/late", "body")}POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    )
    await until(() => caller.responses.length === 2, "two responses")
    expect(caller.responses).toStrictEqual(["200 by its stream", "200 by its stream"])
  })

  it("is left to the stream if that has a reader", async () => {
    const read: Array<string> = []
    const wire = await startWire({}, (asked) => {
      asked.request.on("data", (chunk: Buffer) => void read.push(chunk.toString()))
      taking(asked)
    })
    const caller = await Caller.open(wire.port)
    const [head = "", body = ""] = post("/", "body").split("\r\n\r\n")
    caller.send(`${head}\r\n\r\n`)
    await sleep(20)
    caller.send(body)
    await until(() => caller.responses.length === 1, "the response")
    expect(caller.responses).toStrictEqual(["200 by its stream"])
    expect(read).toStrictEqual(["body"])
  })

  it("fails with the error of the request if the client leaves before its end", async () => {
    const failed: Array<string> = []
    const wire = await startWire({}, (asked) => taking(asked, failed))
    const caller = await Caller.open(wire.port)
    caller.send(post("/", "body").slice(0, -1))
    await until(() => wire.asked.length === 1, "the request")
    caller.socket.destroy()
    await until(() => failed.length > 0, "the error")
    expect(failed).toStrictEqual(["MessageRefused"])
  })
})
