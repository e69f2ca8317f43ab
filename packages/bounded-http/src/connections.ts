/**
 * A server's connections: their limits, and how they close without dropping a request. In a drain, each client's next response
 * announces that the connection closes. Before the deadline, only silent connections are closed without notice.
 */
import type { Server as HttpServer, IncomingMessage } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Budget } from "./budget.js"
import { type ClosingReason, Connection, type ObserveClosing } from "./connection.js"
import type { ConnectionLimits } from "./limits.js"
import { type BoundedRequest, Server } from "./node.js"
import type { Refusal, Refuse } from "./refusal.js"
import type { BoundedResponse } from "./response.js"
import type { ResponseSize } from "./response-size.js"
import { Tick } from "./tick.js"

export interface DrainOptions {
  /** How long a connection may stay silent before it is closed, in ms. */
  readonly idleMillis: number
  /** The time after which the remaining connections are cut, in ms. */
  readonly deadlineMillis: number
}

export interface ConnectionsOptions {
  readonly limits: ConnectionLimits & {
    /** How many connections may be open. Up to 16 more may ask for a path that is always served. */
    readonly connectionLimit: number
  }
  readonly budget: Budget
  readonly refuse: Refuse
  readonly observe: ObserveClosing
  readonly responseSize: ResponseSize | undefined
  readonly alwaysServed: ReadonlySet<string>
  /** Whether a connection beyond the limit closes the oldest one instead of being refused. */
  readonly closesOldest: boolean
}

export interface Connections {
  /** Accepts a request and runs it once it may start. */
  readonly take: (request: BoundedRequest, response: BoundedResponse, expectsContinue?: boolean) => void
  /**
   * Counts a connection that waits for its PROXY header, until it is passed on or closes. Returns false, and closes it, if it is
   * beyond the limit.
   */
  readonly awaitHeader: (socket: Socket) => boolean
  /** Parses the first bytes of a connection, which were read before it was passed on. */
  readonly begin: (socket: Socket, bytes: Buffer) => void
  /** Responds to a malformed message, after earlier responses. */
  readonly refuse: (socket: Socket, refusal: Refusal, origin: string | undefined) => void
  /** Responds to a request for a tunnel, which the server does not offer. */
  readonly refuseTunnel: (socket: Socket, origin: string | undefined) => void
  /** Whether {@link Connections.drain} was called: the process should get no more requests. */
  readonly isDraining: () => boolean
  /**
   * Stops accepting connections, responds to requests that still arrive, and resolves after the last connection has closed. A
   * second call may shorten the wait, but not extend it.
   */
  readonly drain: (options: DrainOptions) => Promise<void>
}

/** How many connections beyond the limit are accepted, for a load balancer's health checks. */
const spareConnections = 16

/** How often to check for slow readers and idle connections, in ms; more often for short limits. */
const checkMillis = 1_000

export const trackConnections = (
  server: HttpServer,
  run: (request: IncomingMessage, response: BoundedResponse) => void,
  { limits, budget, observe, closesOldest, ...options }: ConnectionsOptions,
): Connections => {
  const open = new Map<Socket, Connection>()
  /** Connections that wait for their PROXY header. */
  const awaiting = new Set<Socket>()
  const emptied = Promise.withResolvers<void>()
  let closed: Promise<void> | undefined
  /** Runs while a connection is open: a server that has closed keeps no timer. */
  let checking: NodeJS.Timeout | undefined
  const isDraining = () => closed !== undefined
  const count = () => open.size + awaiting.size
  const closeAwaiting = (): void => {
    for (const socket of awaiting) socket.destroy()
  }
  const left = (): void => {
    if (isDraining() && count() === 0) emptied.resolve()
  }
  const context = {
    ...options,
    limits,
    budget,
    tick: new Tick(),
    isDraining,
    run,
    closed: (socket: Socket, reason: ClosingReason | undefined, unanswered: ReadonlyArray<string>) => {
      open.delete(socket)
      if (open.size === 0) {
        clearInterval(checking)
        checking = undefined
      }
      if (reason !== undefined) observe(reason, unanswered)
      left()
    },
  }

  /** Makes room for one more connection, or closes it. Returns whether there is room. */
  const admit = (socket: Socket): boolean => {
    const { connectionLimit } = limits
    if (closesOldest && count() >= connectionLimit) {
      const [[waiting], [oldest]] = [awaiting, open.values()]
      if (waiting === undefined) oldest?.close("connection_limit")
      else waiting.destroy()
    }
    if (closesOldest || count() < connectionLimit + spareConnections) return true
    observe("connection_limit", [])
    socket.destroy()
    return false
  }

  // `maxConnections` is not used, because Node does not count the connections that a worker gets from the primary.
  server.on("connection", (socket: Socket) => {
    context.tick.accepted()
    awaiting.delete(socket)
    if (!admit(socket)) return
    keepChecking()
    open.set(socket, new Connection(socket, context, !closesOldest && count() >= limits.connectionLimit))
  })

  /** Closes the connections that hold the most unread bytes, until this many bytes are free. */
  const closeLargest = (excessBytes: number): void => {
    if (excessBytes <= 0) return
    let leftBytes = excessBytes
    for (const [socket, connection] of [...open].sort(([one], [other]) => other.writableLength - one.writableLength)) {
      if (leftBytes <= 0 || socket.writableLength === 0) return
      leftBytes -= connection.closeUnread()
    }
  }

  const check = (): void => {
    const now = performance.now()
    for (const connection of open.values()) {
      connection.recount()
      connection.closeIfStuck(now)
      connection.closeIfIdle(now)
    }
    closeLargest(budget.excessBytes())
  }

  const keepChecking = (): void => {
    checking ??= setInterval(check, Math.min(checkMillis, limits.readMillis / 4, limits.keepAliveMillis / 4)).unref()
  }

  const each = (act: (connection: Connection) => void): void => {
    for (const connection of open.values()) act(connection)
  }

  const stopAccepting = async (): Promise<void> => {
    each((connection) => connection.finish())
    // An HTTP server's own `close` would cut idle connections at once, even if a request is on its way.
    NetServer.prototype.close.call(server)
    if (count() === 0) emptied.resolve()
    await emptied.promise
    // Stops Node's interval that looks for slow requests.
    Server.prototype.close.call(server)
  }

  return {
    take: (request, response, expectsContinue) => open.get(request.socket)?.take(request, response, expectsContinue),

    awaitHeader: (socket) => {
      context.tick.accepted()
      if (!admit(socket)) return false
      awaiting.add(socket)
      socket.once("close", () => {
        if (awaiting.delete(socket)) left()
      })
      return true
    },

    begin: (socket, bytes) => open.get(socket)?.begin(bytes),

    refuse: (socket, refusal, origin) => open.get(socket)?.refuse(refusal, origin),

    refuseTunnel: (socket, origin) => open.get(socket)?.refuseTunnel(origin),

    isDraining,

    drain: ({ idleMillis, deadlineMillis }) => {
      closed ??= stopAccepting()
      // `closeIdleConnections` is not used, because Node treats a connection whose response is being sent as idle.
      const silence = setInterval(() => {
        closeAwaiting()
        each((connection) => connection.closeIfSilent())
      }, idleMillis)
      const deadline = setTimeout(() => {
        closeAwaiting()
        each((connection) => connection.close("shutdown"))
      }, deadlineMillis)
      return closed.finally(() => {
        clearInterval(silence)
        clearTimeout(deadline)
      })
    },
  }
}
