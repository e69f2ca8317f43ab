/** The limits on all of a server's connections, and their shutdown. `connection.test.ts` tests them on the wire. */
import { createServer } from "node:http"
import { setImmediate as nextTick } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Budget } from "../src/budget.js"
import { type ConnectionsOptions, trackConnections } from "../src/connections.js"
import { plainRefusal } from "../src/refusal.js"
import { reserve } from "../src/response.js"
import { MemorySocket, requestOf } from "./memory-socket.js"

const track = (given: Partial<ConnectionsOptions["limits"]> = {}, options: Partial<ConnectionsOptions> = {}) => {
  const server = createServer()
  const closed: Array<unknown> = []
  const ran: Array<string | undefined> = []
  const connections = trackConnections(server, ({ method }) => void ran.push(method), {
    limits: {
      pipelineLimit: 2,
      unreadLimitBytes: 100,
      connectionBudgetBytes: 100_000,
      readMillis: 4_000,
      keepAliveMillis: 8_000,
      connectionLimit: 2,
      ...given,
    },
    budget: new Budget(1_000_000),
    refuse: plainRefusal,
    isLean: true,
    alwaysServed: new Set(),
    closesOldest: false,
    responseSize: undefined,
    observe: (reason, unanswered) => void closed.push([reason, unanswered]),
    ...options,
  })
  const connect = (): MemorySocket => {
    const socket = new MemorySocket()
    server.emit("connection", socket)
    return socket
  }
  const take = (socket: MemorySocket, method = "GET") => {
    const { request, response } = requestOf({ method })
    request.socket = socket.asSocket
    connections.take(request, response)
    return response
  }
  return { connections, closed, ran, connect, take }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] })
})
afterEach(() => void vi.useRealTimers())

describe("a server's connections", () => {
  it("are closed at once if they exceed the limit by more than 16, until a client disconnects", async () => {
    const { closed, connect } = track()
    const [first, ...others] = Array.from({ length: 19 }, connect)
    expect(others.findIndex(({ destroyed }) => destroyed)).toBe(17)
    expect(closed).toEqual([["connection_limit", []]])
    first?.destroy()
    await nextTick()
    expect(connect().destroyed).toBe(false)
  })

  it("run their requests until they close", async () => {
    const { ran, connect, take } = track()
    const [stays, leaves] = [connect(), connect()]
    leaves.destroy()
    await nextTick()
    take(stays, "POST")
    take(leaves, "DELETE")
    expect(ran).toEqual(["POST"])
  })

  it("are checked on a timer, and closed if the client does not read", async () => {
    const { closed, connect, take } = track()
    const socket = connect()
    socket.isStuck = true
    take(socket)
    socket.write("a response")
    vi.advanceTimersByTime(4_900)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(2_100)
    await nextTick()
    expect([socket.destroyed, closed]).toEqual([true, [["slow_reader", ["GET"]]]])
  })

  it("are closed after a request was refused for lack of memory, starting with the one with the most unread bytes", async () => {
    const budget = new Budget(100_000)
    const { closed, connect, take } = track({ connectionLimit: 5 }, { budget })
    const sockets = [10, 30_000, 20_000].map((bytes) => {
      const socket = connect()
      socket.isStuck = true
      const response = take(socket)
      reserve(response, bytes)
      socket.write("x".repeat(bytes))
      return socket
    })
    expect(budget.hasRoomFor(5_000, 1)).toBe(true)
    vi.advanceTimersByTime(2_500)
    await nextTick()
    expect(closed).toEqual([])
    expect(budget.hasRoomFor(5_000, 1 / 2)).toBe(false)
    vi.advanceTimersByTime(2_500)
    await nextTick()
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false])
    expect(closed).toEqual([["slow_reader", ["GET"]]])
    expect(budget.hasRoomFor(5_000, 1 / 2)).toBe(true)
  })
})

describe("a server that stops", () => {
  it("stops at once if it has no connection", async () => {
    const { connections } = track()
    expect(connections.isDraining()).toBe(false)
    await connections.drain({ idleMillis: 100, deadlineMillis: 1_000 })
    expect(connections.isDraining()).toBe(true)
  })

  it("closes silent connections, and sends pending responses before it closes the others", async () => {
    const { connections, closed, connect, take } = track()
    const [silent, busy] = [connect(), connect()]
    const reply = take(busy)
    let hasStopped = false
    const stopped = connections.drain({ idleMillis: 100, deadlineMillis: 10_000 }).then(() => {
      hasStopped = true
    })
    expect(reply.shouldKeepAlive).toBe(false)
    vi.advanceTimersByTime(100)
    await nextTick()
    expect([silent.destroyed, busy.destroyed, hasStopped]).toEqual([true, false, false])
    reply.emit("finish")
    expect(busy.writableEnded).toBe(true)
    busy.destroy()
    await stopped
    expect(closed).toEqual([])
  })

  it("closes the remaining connections at its deadline, which a second call can bring forward", async () => {
    const { connections, closed, connect, take } = track()
    const busy = connect()
    take(busy, "POST")
    const stopped = connections.drain({ idleMillis: 100, deadlineMillis: 60_000 })
    const sooner = connections.drain({ idleMillis: 100, deadlineMillis: 1_000 })
    vi.advanceTimersByTime(999)
    expect(busy.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    await Promise.all([stopped, sooner])
    expect([busy.destroyed, closed]).toEqual([true, [["shutdown", ["POST"]]]])
  })
})
