/**
 * A server's connections: their limits, and how they close without dropping a request. In a drain, each client's next response
 * announces that the connection closes. Before the deadline, only silent connections are closed without notice.
 */
import type { Server as HttpServer, IncomingMessage } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Config } from "../config.js"
import type { ClosingReason, ObserveClosing } from "../telemetry/closing-observer.js"
import { Connection, type ConnectionLimits } from "./connection.js"
import type { HttpError } from "./error-response.js"
import type { Memory } from "./memory.js"
import { Server } from "./node-http.js"
import type { RefusalContext } from "./refusal.js"
import type { ServiceResponse } from "./service-response.js"
import { Tick } from "./tick.js"

export interface DrainOptions {
  /** How long a connection may stay silent before it is closed, in ms. */
  readonly idleMillis: number
  /** The time after which the remaining connections are cut, in ms. */
  readonly deadlineMillis: number
}

export interface ConnectionsOptions extends ConnectionLimits, RefusalContext, Pick<Config, "connectionLimit"> {
  readonly memory: Memory
  readonly observeClosing: ObserveClosing
}

export interface Connections {
  /** Accepts a request and runs it once it may start. */
  readonly take: (request: IncomingMessage, response: ServiceResponse) => void
  /** Responds to a malformed message, after earlier responses. */
  readonly refuse: (socket: Socket, failure: HttpError, origin: string | undefined) => void
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

/** How often to look for slow readers and idle connections, in ms; more often for short limits. */
const lookMillis = 1_000

export const trackConnections = (
  server: HttpServer,
  run: (request: IncomingMessage, response: ServiceResponse) => void,
  { connectionLimit, memory, originHeaders, observers, observeClosing, ...limits }: ConnectionsOptions,
): Connections => {
  const open = new Map<Socket, Connection>()
  const emptied = Promise.withResolvers<void>()
  let closed: Promise<void> | undefined
  const isDraining = () => closed !== undefined
  const context = {
    limits,
    originHeaders,
    observers,
    memory,
    tick: new Tick(),
    isDraining,
    run,
    closed: (socket: Socket, reason: ClosingReason | undefined, unanswered: ReadonlyArray<string>) => {
      open.delete(socket)
      if (reason !== undefined) observeClosing(reason, unanswered)
      if (isDraining() && open.size === 0) emptied.resolve()
    },
  }

  // `maxConnections` is not used, because Node does not count the connections that a worker gets from the primary.
  server.on("connection", (socket: Socket) => {
    context.tick.accepted()
    if (open.size < connectionLimit + spareConnections) {
      open.set(socket, new Connection(socket, context, open.size >= connectionLimit))
    } else {
      observeClosing("connection_limit", [])
      socket.destroy()
    }
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

  const look = setInterval(
    () => {
      const now = performance.now()
      for (const connection of open.values()) {
        connection.closeIfStuck(now)
        connection.closeIfIdle(now)
      }
      closeLargest(memory.excessBytes())
    },
    Math.min(lookMillis, limits.readMillis / 4, limits.keepAliveMillis / 4),
  ).unref()

  const each = (act: (connection: Connection) => void): void => {
    for (const connection of open.values()) act(connection)
  }

  const stopAccepting = async (): Promise<void> => {
    each((connection) => connection.finish())
    // An HTTP server's own `close` would cut idle connections at once, even if a request is on its way.
    NetServer.prototype.close.call(server)
    if (open.size === 0) emptied.resolve()
    await emptied.promise
    clearInterval(look)
    // Stops Node's interval that looks for slow requests.
    Server.prototype.close.call(server)
  }

  return {
    take: (request, response) => open.get(request.socket)?.take(request, response),

    refuse: (socket, failure, origin) => open.get(socket)?.refuse(failure, origin),

    isDraining,

    drain: ({ idleMillis, deadlineMillis }) => {
      closed ??= stopAccepting()
      // `closeIdleConnections` is not used, because Node treats a connection whose response is being sent as idle.
      const silence = setInterval(each, idleMillis, (connection: Connection) => connection.closeIfSilent())
      const deadline = setTimeout(each, deadlineMillis, (connection: Connection) => connection.close("shutdown"))
      return closed.finally(() => {
        clearInterval(silence)
        clearTimeout(deadline)
      })
    },
  }
}
