/**
 * The connections of a server, and how they end without a dropped request: no
 * caller can know that a connection is about to close unless it is told, so each is
 * told with the answer to its next request, and only one that stays silent is closed.
 */
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"

export interface DrainOptions {
  /** How long a connection may stay silent before it is closed, in ms. */
  readonly idleMillis: number
  /** When whatever is left is cut, in ms from now. */
  readonly deadlineMillis: number
}

export interface Connections {
  /** Sees a request before it is handled. */
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void
  /** Whether {@link Connections.drain} was called: the process should get no more requests. */
  readonly isDraining: () => boolean
  /** Stops accepting, answers what still arrives, and ends when the last connection has closed. Called again, it can only hurry. */
  readonly drain: (options: DrainOptions) => Promise<void>
}

export const trackConnections = (server: HttpServer): Connections => {
  /** Every open connection with the answer to its latest request: one look-up for each request is all that this costs. */
  const latest = new Map<Socket, ServerResponse | undefined>()
  let closed: Promise<void> | undefined

  server.on("connection", (socket: Socket) => {
    latest.set(socket, undefined)
    socket.once("close", () => latest.delete(socket))
  })

  /** Node closes a connection after an answer that says so (RFC 9112 §9.6). */
  const announceClose = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader("Connection", "close")
  }

  const closeIdle = (): void => {
    server.closeIdleConnections()
    // Node takes a connection on which nothing ever arrived for one that is busy.
    for (const [socket, response] of latest) if (response === undefined && socket.bytesRead === 0) socket.destroy()
  }

  const stopAccepting = (): Promise<void> =>
    new Promise((resolve) => {
      for (const response of latest.values()) if (response !== undefined) announceClose(response)
      // The `close` of an HTTP server would cut idle connections at once, requests on their way included.
      NetServer.prototype.close.call(server, () => {
        // What it would have done besides: ends the interval that looks for slow requests.
        HttpServer.prototype.close.call(server)
        resolve()
      })
    })

  return {
    begin: (request, response) => {
      latest.set(request.socket, response)
      if (closed !== undefined) announceClose(response)
    },

    isDraining: () => closed !== undefined,

    drain: ({ idleMillis, deadlineMillis }) => {
      server.keepAliveTimeout = Math.min(server.keepAliveTimeout, idleMillis)
      closed ??= stopAccepting()
      const timers = [setTimeout(closeIdle, idleMillis), setTimeout(() => server.closeAllConnections(), deadlineMillis)]
      return closed.finally(() => timers.forEach(clearTimeout))
    },
  }
}
