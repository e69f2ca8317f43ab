/** Which requests on a connection run, and when the connection closes. `connection.test.ts` also uses Node's parser. */
import type { IncomingMessage } from "node:http"
import { setImmediate as nextTick } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Budget } from "../src/budget.js"
import { Connection } from "../src/connection.js"
import type { ConnectionLimits } from "../src/limits.js"
import { malformed, plainRefusal } from "../src/refusal.js"
import { type BoundedResponse, reserve } from "../src/response.js"
import { Tick } from "../src/tick.js"
import { MemorySocket, type RequestOptions, requestOf } from "./memory-socket.js"

const defaults = {
  pipelineLimit: 2,
  unreadLimitBytes: 100,
  connectionBudgetBytes: 100_000,
  readMillis: 500,
  keepAliveMillis: 5_000,
}

const open = (limits: Partial<ConnectionLimits> = {}, budget = new Budget(1_000_000), tick = new Tick()) => {
  const socket = new MemorySocket()
  const running: Array<BoundedResponse> = []
  const closed: Array<unknown> = []
  let isDraining = false
  const connection = new Connection(socket.asSocket, {
    limits: { ...defaults, ...limits },
    budget,
    refuse: plainRefusal,
    isLean: true,
    alwaysServed: new Set(),
    responseSize: undefined,
    tick,
    isDraining: () => isDraining,
    run: (_request: IncomingMessage, response) => void running.push(response),
    closed: (_socket, reason, unanswered) => void closed.push([reason, unanswered]),
  })
  const take = (options?: RequestOptions) => {
    const { request, response } = requestOf(options)
    connection.take(request, response)
    return response
  }
  /** Completes the oldest response, and lets other connections run. */
  const leave = async () => {
    connection.answered()
    await nextTick()
  }
  const drain = () => {
    isDraining = true
  }
  return { socket, connection, running, closed, take, leave, drain }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => void vi.useRealTimers())

describe("requests of one connection", () => {
  it("run in parallel up to the limit, and the remaining ones in order", async () => {
    const { socket, running, take, leave } = open()
    const [first, second, third, fourth] = [take(), take(), take(), take()]
    expect(running).toEqual([first, second])
    expect(socket.isPaused()).toBe(true)
    await leave()
    expect(running).toEqual([first, second, third])
    expect(socket.isPaused()).toBe(true)
    await leave()
    expect(running).toEqual([first, second, third, fourth])
    expect(socket.isPaused()).toBe(false)
  })

  it("wait while the unread responses before them exceed the limit", async () => {
    const { running, take } = open({ pipelineLimit: 10 })
    const first = take()
    first.writeHead(200, ["Content-Length", "200"])
    first.write("x".repeat(200))
    take()
    expect(running).toEqual([first])
  })

  it("wait while earlier responses, even pending ones, are expected to exceed the limit", async () => {
    const { running, take, leave } = open({ pipelineLimit: 10 })
    const expected = take()
    expect(reserve(expected, 101)).toBe(true)
    take()
    expect(running).toEqual([expected])
    await leave()
    take()
    expect(running).toHaveLength(3)
  })

  it("wait while the connection's requests hold more than its budget", async () => {
    const { running, take, leave } = open({ pipelineLimit: 10, connectionBudgetBytes: 5_000 })
    for (let number = 0; number < 3; number += 1) take()
    expect(running).toHaveLength(2)
    await leave()
    expect(running).toHaveLength(3)
  })

  it("run one at a time while the process is over its budget, and a closed connection frees its memory only once", async () => {
    const budget = new Budget(6_000)
    const [first, second] = [open({ pipelineLimit: 10 }, budget), open({ pipelineLimit: 10 }, budget)]
    for (let number = 0; number < 5; number += 1) first.take()
    expect(first.running).toHaveLength(2)
    second.take()
    second.take()
    expect(second.running).toHaveLength(1)
    first.socket.destroy()
    second.socket.destroy()
    await nextTick()
    expect(budget.bytes).toBe(0)
    await first.leave()
    expect(budget.bytes).toBe(0)
  })

  it("run one at a time in a tick that has started many other requests", async () => {
    const tick = new Tick()
    const limits = { pipelineLimit: 1_000, connectionBudgetBytes: 1_000_000 }
    const [busy, other] = [open(limits, undefined, tick), open(limits, undefined, tick)]
    for (let number = 0; number < 300; number += 1) busy.take()
    for (let number = 0; number < 3; number += 1) other.take()
    expect([busy.running.length, other.running.length]).toStrictEqual([257, 1])
    await other.leave()
    expect(other.running).toHaveLength(3)
  })

  it("stop after one that offers another protocol to a parser that cannot stop: later requests are held, then dropped", async () => {
    const { socket, running, take, leave } = open()
    const last = take({ headers: { upgrade: "h2c" } })
    take()
    expect(running).toEqual([last])
    expect(last.shouldKeepAlive).toBe(false)
    expect(socket.isPaused()).toBe(true)
    await leave()
    expect(socket.writableEnded).toBe(true)
    socket.arrive("GET /never HTTP/1.1\r\n\r\n")
    await nextTick()
    expect([socket.isPaused(), socket.readableLength]).toEqual([false, 0])
    take()
    expect(running).toEqual([last])
  })

  it("stop after the next one if the server stops", async () => {
    const { socket, running, take, leave, drain } = open()
    take()
    drain()
    const last = take()
    take()
    expect(running.map(({ shouldKeepAlive }) => shouldKeepAlive)).toEqual([true, false])
    expect(running[1]).toBe(last)
    await leave()
    expect(socket.writableEnded).toBe(false)
    await leave()
    expect(socket.writableEnded).toBe(true)
  })

  it("stop after the newest pending one if the connection is told to finish", () => {
    const { connection, running, take } = open()
    const [first, second] = [take(), take()]
    connection.finish()
    take()
    expect(running).toEqual([first, second])
    expect([first.shouldKeepAlive, second.shouldKeepAlive]).toEqual([true, false])
  })
})

describe("a malformed message", () => {
  it("is refused at once if no response is pending", () => {
    const { socket, connection } = open()
    connection.refuse(malformed, undefined)
    expect(socket.sent).toMatch(/^HTTP\/1\.1 400 [\s\S]*Connection: close\r\n[\s\S]*"code":"malformed_request"/)
    expect(socket.writableEnded).toBe(true)
  })

  it("is refused once, after the earlier responses", async () => {
    const { socket, connection, take, leave } = open()
    take()
    connection.refuse(malformed, undefined)
    connection.refuse(malformed, undefined)
    expect(socket.sent).toBe("")
    await leave()
    connection.refuse(malformed, undefined)
    expect(socket.sent.match(/HTTP\/1\.1 400/g)).toHaveLength(1)
  })

  it("fails the body of a running request, and makes that request's response the last one", async () => {
    const { socket, connection, take } = open()
    const response = take({ method: "POST", complete: false })
    const failed = new Promise((resolve) => response.req.once("error", resolve))
    connection.refuse(malformed, undefined)
    expect(await failed).toMatchObject({ refusal: malformed })
    expect(response.shouldKeepAlive).toBe(false)
    expect(socket.destroyed).toBe(false)
  })
})

describe("a connection with nothing left to send", () => {
  const finished = async () => {
    const opened = open()
    opened.take({ headers: { upgrade: "h2c" } })
    await opened.leave()
    return opened
  }

  it("closes when its client has been silent for 1 s", async () => {
    const { socket, closed } = await finished()
    vi.advanceTimersByTime(999)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(socket.destroyed).toBe(true)
    await nextTick()
    expect(closed).toEqual([[undefined, []]])
  })

  it("stays open for a client that sends, but for at most 30 s", async () => {
    const { socket } = await finished()
    for (let second = 0; second < 29; second += 1) {
      socket.arrive("x")
      vi.advanceTimersByTime(1_000)
    }
    expect(socket.destroyed).toBe(false)
    socket.arrive("x")
    vi.advanceTimersByTime(1_000)
    expect(socket.destroyed).toBe(true)
  })
})

describe("a connection", () => {
  it("is closed if it is silent between two requests and no response is pending", () => {
    const { socket, connection } = open()
    connection.closeIfSilent()
    socket.arrive("GET")
    connection.closeIfSilent()
    expect(socket.destroyed).toBe(false)
    connection.closeIfSilent()
    expect(socket.destroyed).toBe(true)
  })

  it("is not closed for silence while a response is pending", () => {
    const { socket, connection, take } = open()
    take()
    connection.closeIfSilent()
    connection.closeIfSilent()
    expect(socket.destroyed).toBe(false)
  })

  it("is closed if the client does not read a response before the response's timeout", async () => {
    const { socket, connection, closed, take, leave } = open()
    socket.isStuck = true
    take()
    socket.write("a response")
    connection.closeIfStuck(0)
    connection.closeIfStuck(499)
    expect(socket.destroyed).toBe(false)
    // The next response has its own timeout.
    await leave()
    connection.closeIfStuck(600)
    connection.closeIfStuck(1_099)
    expect(socket.destroyed).toBe(false)
    take()
    connection.closeIfStuck(1_101)
    vi.advanceTimersByTime(1_000)
    expect(socket.destroyed).toBe(true)
    await nextTick()
    expect(closed).toEqual([["slow_reader", ["GET"]]])
  })

  it("is closed after its idle timeout", async () => {
    const { socket, connection, take, leave } = open()
    // Other limits apply before the first request.
    for (const now of [0, 5_000, 10_000]) connection.closeIfIdle(now)
    take()
    connection.closeIfIdle(20_000)
    await leave()
    connection.closeIfIdle(24_999)
    socket.arrive("GET")
    connection.closeIfIdle(25_000)
    connection.closeIfIdle(29_999)
    expect(socket.destroyed).toBe(false)
    connection.closeIfIdle(30_000)
    expect(socket.destroyed).toBe(true)
  })

  it("reports the first reason why it closed, and the methods of requests without a response", async () => {
    const { connection, closed, take } = open()
    take({ method: "POST" })
    connection.close("shutdown")
    connection.close("slow_reader")
    await nextTick()
    expect(closed).toEqual([["shutdown", ["POST"]]])
  })

  it("reports that its caller disconnected", async () => {
    const { socket, closed, take } = open({ pipelineLimit: 1 })
    take({ method: "POST" })
    take()
    socket.destroy()
    await nextTick()
    // The second request never ran.
    expect(closed).toEqual([["client_disconnected", ["POST"]]])
  })
})
