/**
 * Random bytes on the wire, against a listener that knows nothing of this package: each request gets one response, in order, and no
 * request runs after the end of its connection.
 */
import { once } from "node:events"
import type { RequestListener } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Caller, get, post, until } from "@petstore/harness/caller"
import fc from "fast-check"
import { expect, it } from "vitest"
import { Budget, createBoundedServer } from "../src/index.js"

interface Message {
  readonly bytes: (target: string) => string
  /** The response's status, and the target and body that the listener sees. `undefined` if the listener sees nothing. */
  readonly responds: (target: string) => string
  readonly isSeen: boolean
  readonly isLast: boolean
}

const good = (bytes: Message["bytes"], body: string, isLast = false): Message => ({
  bytes,
  isLast,
  isSeen: true,
  responds: (target) => `200 ${target}${body}`,
})

const bad = (bytes: Message["bytes"], responds = "400 malformed_request"): Message => ({
  bytes,
  isLast: true,
  isSeen: false,
  responds: () => responds,
})

const chunked = (target: string, chunks: ReadonlyArray<string>, ...lines: ReadonlyArray<string>): string =>
  [`POST ${target} HTTP/1.1`, "Host: a", "Transfer-Encoding: chunked", ...lines, "", ""].join("\r\n") +
  [...chunks, ""].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")

const framed = (target: string, body: string, ...lines: ReadonlyArray<string>): string =>
  [`POST ${target} HTTP/1.1`, "Host: a", ...lines, "", body].join("\r\n")

const inChunks = "4\r\nbody\r\n0\r\n\r\n"

/** Codings that leave the end of the body unknown, or known to some parsers only. */
const codings: ReadonlyArray<ReadonlyArray<string>> = [
  ...["foo", "foo, chunked", "gzip, chunked", "chunked, chunked", "chunked, identity", "xchunked"].map((coding) => [coding]),
  ["chunked", "chunked"],
  ["foo", "chunked"],
]

const old = (target: string, ...lines: ReadonlyArray<string>): string => [`GET ${target} HTTP/1.0`, ...lines, "", ""].join("\r\n")

const staying: ReadonlyArray<Message> = [
  good(get, ""),
  good((target) => `\r\n${get(target)}`, ""),
  good((target) => post(target, "body"), "body"),
  good((target) => post(target, get("/never").repeat(20)), get("/never").repeat(20)),
  good((target) => chunked(target, ["one", "two"]), "onetwo"),
  good((target) => chunked(target, ["x".repeat(9_000)]), "x".repeat(9_000)),
  good((target) => framed(target, inChunks, "Transfer-Encoding: CHUNKED"), "body"),
  good((target) => post(target, "body", "Expect: nonsense"), "body"),
  good((target) => post(`http://a${target}`, "body"), "body"),
  good((target) => old(target, "Connection: keep-alive"), ""),
  good((target) => get(target, "Connection: Upgrade", "Upgrade: h2c"), ""),
  good((target) => chunked(target, ["up"], "Connection: Upgrade", "Upgrade: websocket"), "up"),
  good((target) => get(target, ...Array.from({ length: 200 }, () => "a: RTSP/1.0")), ""),
]

const ending: ReadonlyArray<Message> = [
  good((target) => get(target, "Connection: close"), "", true),
  good((target) => post(target, "last", "Connection: close"), "last", true),
  good(old, "", true),
  bad(() => "nonsense\r\n\r\n"),
  bad((target) => `GET ${target}\r\n\r\n`),
  bad((target) => `GET ${target} RTSP/1.0\r\nHost: a\r\n\r\n`),
  bad((target) => `GET ${target} HTTP/1.1\r\n\r\n`),
  bad((target) => get(target, "Host: b")),
  bad((target) => post(target, "body", "Content-Length: 5")),
  ...codings.map((coding) => bad((target) => framed(target, inChunks, ...coding.map((name) => `Transfer-Encoding: ${name}`)))),
  bad((target) => framed(target, inChunks, "Content-Length: 5", "Transfer-Encoding: chunked")),
  bad((target) => framed(target, inChunks, "Transfer-Encoding: chunked").replace("1.1", "1.0")),
  bad((target) => framed(target, inChunks, "Transfer-Encoding: chunked", "Connection: keep-alive").replace("1.1", "1.0")),
  bad((target) => post(target, "body", "X-Name : value")),
  bad((target) => post(target, "body", "X-Name: a\r\n b")),
  bad((target) => post(target, "body", "X-Name: a\u0001b")),
  bad((target) => get(target.slice(1))),
  bad(() => "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
  bad(() => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  bad((target) => get(target, `X: ${"x".repeat(20_000)}`), "431 headers_too_large"),
]

const share = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000)

const conversation = fc.record({
  messages: fc.array(fc.constantFrom(...staying), { maxLength: 60, size: "max" }),
  end: fc.option(fc.constantFrom(...ending)),
  cuts: fc.array(fc.record({ at: share, pauseMillis: fc.integer({ min: 0, max: 4 }) }), {
    maxLength: 5,
  }),
  delayMillis: fc.integer({ min: 0, max: 3 }),
  readsAfterMillis: fc.integer({ min: 0, max: 20 }),
  /** The share of the bytes after which the client leaves, if it does. */
  leavesAt: fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: share }),
})

type Conversation = typeof conversation extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** Plays conversations with a new server, which stops after this time, if one is given. */
const play = async (conversations: ReadonlyArray<Conversation>, stopsAfterMillis: number | null): Promise<void> => {
  const budget = new Budget(67_108_864)
  const seen = new Map<string, Array<string>>()
  let delayMillis = 0
  const listener: RequestListener = (request, response) => {
    let body = ""
    const target = (request.url ?? "").replace("http://a", "")
    const [, name = ""] = target.split("/")
    seen.get(name)?.push(target)
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString("latin1")
    })
    const answer = (): void => {
      // Without a length, the end of the connection would be the end of the body.
      if (request.httpVersion === "1.0") response.setHeader("Content-Length", target.length + body.length)
      response.end(target + body)
    }
    request.once("end", () => void setTimeout(answer, Math.random() * delayMillis))
  }
  const server = createBoundedServer(listener, { budget }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = Object(server.address())

  const talk = async (caller: Caller, { messages, end, cuts, leavesAt, readsAfterMillis, ...drawn }: Conversation) => {
    delayMillis = drawn.delayMillis
    const name = `${seen.size}`
    const targets: Array<string> = []
    seen.set(name, targets)
    // What follows the last message must not run.
    const last = end ?? good((target) => get(target, "Connection: close"), "", true)
    const all = [...messages, last].map((message, place) => ({ ...message, target: `/${name}/${place}` }))
    const bytes = all.map((message) => message.bytes(message.target)).join("") + get(`/${name}/never`).repeat(5)
    caller.socket.pause()
    setTimeout(() => caller.socket.resume(), readsAfterMillis)
    const stop = leavesAt === null ? bytes.length : Math.floor(leavesAt * bytes.length)
    let from = 0
    for (const { at, pauseMillis } of [...cuts].sort((one, other) => one.at - other.at)) {
      const to = Math.min(stop, Math.floor(at * bytes.length))
      caller.send(bytes.slice(from, to))
      from = to
      await sleep(pauseMillis)
    }
    caller.send(bytes.slice(from, stop))
    if (leavesAt !== null) caller.socket.resetAndDestroy()
    await until(() => caller.socket.readableEnded || caller.socket.closed, "the end of the connection")
    const expected = all.filter(({ isSeen }) => isSeen).map(({ target }) => target)
    const responses = all.map(({ responds, target }) => responds(target).trim())
    if (leavesAt !== null) expect(expected.slice(0, targets.length)).toStrictEqual(targets)
    else if (stopsAfterMillis === null) {
      expect(caller.responses).toStrictEqual(responses)
      expect(caller.isReset).toBe(false)
      expect(targets).toStrictEqual(expected)
    } else {
      // A server that stops responds to every request that ran, and ends the connection at a response of its choice.
      expect(caller.responses).toStrictEqual(responses.slice(0, caller.responses.length))
      expect(targets).toStrictEqual(expected.slice(0, caller.responses.length))
    }
    caller.socket.destroy()
  }
  // Before the server stops, because it accepts no connection from then on.
  const callers = await Promise.all(conversations.map(async (drawn) => [await Caller.open(port), drawn] as const))
  const stopped = stopsAfterMillis === null ? undefined : sleep(stopsAfterMillis).then(() => server.drain(draining))
  await Promise.all(callers.map(([caller, drawn]) => talk(caller, drawn)))
  await stopped
  await until(() => budget.bytes === 0 && budget.unparsedBytes === 0, "all memory to be free")
  server.close().closeAllConnections()
}

const draining = { idleMillis: 50, deadlineMillis: 20_000 }

const conversations = fc.array(conversation, { minLength: 1, maxLength: 3 })

it("gives each request one response in order, and runs nothing behind a connection's last message: 300 seeds", () =>
  fc.assert(
    fc.asyncProperty(conversations, (drawn) => play(drawn, null)),
    { numRuns: 300, seed: 1, endOnFailure: true },
  ))

it("gives each request that runs one response in order while the server stops: 300 seeds", () =>
  fc.assert(fc.asyncProperty(conversations, fc.integer({ min: 0, max: 30 }), play), {
    numRuns: 300,
    seed: 2,
    endOnFailure: true,
  }))
