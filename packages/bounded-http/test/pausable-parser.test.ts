/** Tests how much input Node's parser gets, and that stopping the parser changes no request (specification 10.57). */
import { randomInt } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Caller, get, post, until } from "@petstore/harness/caller"
import { describe, expect, it } from "vitest"
import { type Asked, startWire } from "./wire.js"

const chunked = (target: string, chunks: ReadonlyArray<string>, ...lines: ReadonlyArray<string>): string => {
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")
  return [`POST ${target} HTTP/1.1`, "Host: a", "Transfer-Encoding: chunked", ...lines, "", `${body}0\r\n\r\n`].join("\r\n")
}

/** Responds with a request's target and body, at once or after a delay. */
const echo = ({ request, answer }: Asked): void => {
  let body = ""
  request.on("data", (chunk: Buffer) => {
    body += chunk.toString("latin1")
  })
  const reply = (): void => {
    const text = `${request.method} ${request.url} ${body}`
    if (randomInt(2) === 0) answer(text)
    else setTimeout(answer, randomInt(3), text)
  }
  // Node ends requests without a body before a handler reads them.
  if (request.readableEnded || request.method === "GET") reply()
  else request.once("end", reply).once("error", () => answer("broken off"))
}

describe("the parser", () => {
  it.for([
    ["without bodies", get("/x")],
    ["with bodies", post("/x", "a")],
    ["with chunked bodies", chunked("/x", ["a"])],
  ] as const)("stops after the first request that has to wait: requests %s", async ([, request]) => {
    const wire = await startWire()
    let parsed = 0
    wire.server.on("request", () => {
      parsed += 1
    })
    const caller = await Caller.open(wire.port)
    caller.send(request.repeat(2_000))
    await until(() => wire.asked.length > 0, "a request")
    await sleep(100)
    expect(parsed).toBeLessThanOrEqual(33)
    // All requests still get responses.
    const timer = setInterval(() => {
      for (const one of wire.asked) if (!one.response.writableEnded) one.answer()
    }, 1)
    await until(() => caller.responses.length === 2_000, "every response")
    clearInterval(timer)
    expect(new Set(caller.responses)).toStrictEqual(new Set(["200 /x"]))
  })

  it("does not copy input for which the memory budget has no room", async () => {
    let copiedBytes = 0
    const wire = await startWire({ budgetBytes: 100_000, pipelineLimit: 1 }, ({ answer }) => {
      const before = process.memoryUsage().arrayBuffers
      setImmediate(() => {
        copiedBytes = Math.max(copiedBytes, process.memoryUsage().arrayBuffers - before)
        answer()
      })
    })
    const caller = await Caller.open(wire.port)
    caller.send(get("/").repeat(2_000))
    // Of the read, the request that has to wait is parsed too.
    await until(() => caller.responses.length === 3, "two responses and a refusal")
    expect(caller.responses).toStrictEqual(["200 /", "200 /", "503 service_overloaded"])
    expect(copiedBytes).toBeLessThan(32_768)
  })

  it("copies waiting input a few times, not at each stop", async () => {
    let allocatedBytes = 0
    let latestBytes = process.memoryUsage().arrayBuffers
    const wire = await startWire({ pipelineLimit: 1 }, ({ answer }) => {
      const bytes = process.memoryUsage().arrayBuffers
      allocatedBytes += Math.max(0, bytes - latestBytes)
      latestBytes = bytes
      answer()
    })
    const caller = await Caller.open(wire.port)
    caller.send(get("/x").repeat(2_000))
    await until(() => wire.asked.length === 2_000, "every request")
    expect(allocatedBytes).toBeLessThan(2_000_000)
  })

  it("finds the same requests and bodies wherever it stops and wherever the bytes are split", async () => {
    const wire = await startWire({ pipelineLimit: 2 }, echo)
    for (let round = 0; round < 30; round += 1) {
      const caller = await Caller.open(wire.port)
      const sent = Array.from({ length: 60 }, (_, number) => {
        const target = `/${round}-${number}`
        const body = "GET / HTTP/1.1\r\n\r\n".repeat(randomInt(4))
        const kind = randomInt(5)
        if (kind < 2) return { bytes: get(target), expected: `200 GET ${target}` }
        const expected = `200 POST ${target} ${body}`.trim()
        if (kind < 4) return { bytes: post(target, body), expected }
        return { bytes: chunked(target, body === "" ? [] : [body.slice(0, 1), body.slice(1)]), expected }
      })
      const bytes = sent.map((one) => one.bytes).join("")
      for (let from = 0; from < bytes.length; ) {
        const size = randomInt(2) === 0 ? randomInt(1, 50) : randomInt(1, bytes.length)
        caller.send(bytes.slice(from, from + size))
        from += size
        if (randomInt(3) === 0) await sleep(randomInt(3))
      }
      await until(() => caller.responses.length === sent.length && !caller.responses.at(-1)?.startsWith("cut"), "every response")
      expect(caller.responses).toStrictEqual(sent.map(({ expected }) => expected))
      caller.socket.destroy()
    }
  })

  it.for([
    ["before a request", get("/long")],
    ["before a chunked body", get("/long") + get("/1") + chunked("/2", ["body"])],
    ["inside the input that follows a chunked body", chunked("/1", ["body"], "Connection: Upgrade", "Upgrade: x") + get("/long")],
  ] as const)("continues when Node has paused it %s, because a long response waits for the client", async ([, first]) => {
    const limits = { pipelineLimit: 1_000, unreadLimitBytes: 100_000_000, connectionBudgetBytes: 100_000_000 }
    const long = "x".repeat(20_000_000)
    const wire = await startWire(limits, ({ request, answer }) => {
      if (request.url === "/long") answer(long)
      // Node continues as soon as it gets a short response, even one that has to wait.
      else setTimeout(answer, 50)
    })
    const caller = await Caller.open(wire.port)
    caller.socket.pause()
    // While a server accepts connections, it starts only a few requests.
    await sleep(50)
    caller.send(
      first.replace("POST", "GET") + get("/next", `X: ${"x".repeat(3_000)}`).repeat(15) + get("/last", "Connection: close"),
    )
    await sleep(200)
    caller.socket.resume()
    const expected = [...first.matchAll(/(?<=GET |POST )\/\w+/g)].map(([target]) => `200 ${target === "/long" ? long : target}`)
    await caller.ended
    expect(caller.responses).toStrictEqual([...expected, ...Array.from({ length: 15 }, () => "200 /next"), "200 /last"])
  })

  it("passes on the trailers of a chunked body", async () => {
    const wire = await startWire({}, ({ request, answer }) =>
      request
        .resume()
        .once("end", () => answer(`${request.complete} ${JSON.stringify(request.trailers)} ${request.rawTrailers}`)),
    )
    const caller = await Caller.open(wire.port)
    caller.send(`${chunked("/", ["a"]).slice(0, -2)}Digest: b\r\n\r\n`)
    await until(() => caller.responses.length === 1, "the response")
    expect(caller.responses).toStrictEqual(['200 true {"digest":"b"} Digest,b'])
  })

  it.for([1, 3] as const)("refuses a malformed message after waiting requests, of which %i precede a body", async (waiting) => {
    const wire = await startWire({ pipelineLimit: 1 }, ({ answer }) => void setTimeout(answer, 5))
    const [broken, cut, doubtful] = [await Caller.open(wire.port), await Caller.open(wire.port), await Caller.open(wire.port)]
    const before = get("/1").repeat(waiting) + post("/2", "two") + get("/3")
    const responses = [...Array.from({ length: waiting }, () => "200 /1"), "200 /2", "200 /3", "400 malformed_request"]
    broken.send(`${before}${get("/4", "X-Name : value")}${get("/never")}`)
    doubtful.send(before + chunked("/4", [], "Content-Length: 1"))
    cut.socket.end(`${before}GET /4 HT`)
    await Promise.all([broken.ended, cut.ended, doubtful.ended])
    for (const caller of [broken, cut, doubtful]) expect(caller.responses).toStrictEqual(responses)
  })

  it("finds all requests that a client sent before it closed its sending side, even an unfinished one", async () => {
    const wire = await startWire({ pipelineLimit: 1 }, echo)
    const caller = await Caller.open(wire.port)
    caller.socket.end(
      `${get("/1")}${post("/2", "two")}${chunked("/3", ["three"])}POST /4 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf`,
    )
    await caller.closed
    expect(caller.responses).toStrictEqual(["200 GET /1", "200 POST /2 two", "200 POST /3 three", "200 broken off"])
  })

  it("serves other connections after one has closed while its bytes wait", async () => {
    const wire = await startWire({ pipelineLimit: 1 })
    for (let round = 0; round < 30; round += 1) {
      const caller = await Caller.open(wire.port)
      const before = wire.asked.length
      caller.send(get("/left").repeat(10) + post("/left", "x".repeat(10)).repeat(10))
      await until(() => wire.asked.length > before, "a request")
      const left = wire.asked.at(-1)
      caller.socket.resetAndDestroy()
      if (round % 2 === 0) left?.answer()
      await sleep(randomInt(3))
      if (round % 2 === 1) left?.answer()
      const other = await Caller.open(wire.port)
      other.send(post("/well", "well", "Connection: close"))
      await until(() => wire.asked.at(-1)?.request.url === "/well", "another caller's request")
      wire.asked.at(-1)?.answer()
      await other.ended
      expect(other.responses).toStrictEqual(["200 /well"])
    }
  })
})
