/** The server: network limits, and a response even to unreadable requests. */
import type { IncomingMessage, RequestListener, Server } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Budget } from "./budget.js"
import type { ObserveClosing } from "./connection.js"
import { type Connections, trackConnections } from "./connections.js"
import { defaultLimits, type Limits } from "./limits.js"
import { allowHalfOpen, BoundedRequest, createServer, type ParserError } from "./node.js"
import { type ProxiedClient, proxyHeader } from "./proxy-protocol.js"
import { headBytes, originIn, parserFailure, plainRefusal, type Refuse } from "./refusal.js"
import { BoundedResponse } from "./response.js"
import { ResponseSize } from "./response-size.js"

/** How often Node checks for requests that take too long, in ms. Its default of 30 s would be too late. */
const checkMillis = 1_000

export interface BoundedServerOptions {
  readonly limits?: Partial<Limits>
  /** Used instead of `budgetBytes`, to share one budget between servers. */
  readonly budget?: Budget
  /** Called for every connection that closed early. */
  readonly observe?: ObserveClosing
  /** Makes the response to a message that is refused before the listener sees it. The default is JSON: `code`, `message`, `status`. */
  readonly refuse?: Refuse
  /** Paths that are served even beyond the connection limit and the budget, for health checks. */
  readonly alwaysServe?: ReadonlyArray<string>
  /**
   * Which peers are proxies that begin each connection with the PROXY protocol, version 1 or 2. Their connections without a valid
   * header are closed. {@link clientOf} then gives the client. By default, no peer is one.
   */
  readonly isProxy?: (address: string) => boolean
  /** Whether the listener reserves memory for its responses by itself (`reserve`), because it knows better what they need. */
  readonly reserves?: boolean
  /** Whether a connection beyond the limit closes the oldest one, even if that is busy, instead of being refused. */
  readonly closesOldest?: boolean
  /**
   * Whether a request without a body has already ended, which saves a few percent of a short response. The listener promises that it
   * does not wait for the end of a request that has ended (`readableEnded`).
   */
  readonly isLean?: boolean
}

/** A `node:http` server that can be stopped without dropping a request. */
export type BoundedServer = Server & Pick<Connections, "drain" | "isDraining">

const clients = new WeakMap<Socket, ProxiedClient>()

/** The client of a request: the one that a proxy has named (`isProxy`), or the peer. */
export const clientOf = ({ socket }: Pick<IncomingMessage, "socket">): Partial<ProxiedClient> => {
  const { remoteAddress: address, remotePort: port } = socket
  return clients.get(socket) ?? { ...(address !== undefined && { address }), ...(port !== undefined && { port }) }
}

/** Identifies a request's connection: all requests of one connection have the same object, which may be a key of a `WeakMap`. */
export const connectionOf = ({ socket }: Pick<IncomingMessage, "socket">): object => socket

/**
 * Calls the listener once the client has ended its side of the connection: it has left, or it sends no more and reads on. A listener
 * that lets a client wait should respond then.
 *
 * @returns a function that takes the listener back
 */
export const onInputEnd = ({ socket }: Pick<IncomingMessage, "socket">, listener: () => void): (() => void) => {
  if (socket.readableEnded) queueMicrotask(listener)
  else socket.once("end", listener)
  return () => void socket.off("end", listener)
}

/** Passes a proxy's connections on after their header. Node and this server listen for connections before this is called. */
const readProxyHeaders = (
  server: Server,
  isProxy: (address: string) => boolean,
  headMillis: number,
  { awaitHeader, begin }: Pick<Connections, "awaitHeader" | "begin">,
): void => {
  const listeners = server.listeners("connection")
  const pass = (socket: Socket): void => {
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  }
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    if (!isProxy(socket.remoteAddress ?? "")) {
      pass(socket)
      return
    }
    if (!awaitHeader(socket)) return
    let bytes: Buffer = Buffer.alloc(0)
    const leave = (): void => void socket.destroy()
    const late = setTimeout(leave, headMillis).unref()
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const header = proxyHeader(bytes)
      if (header === "incomplete") return
      if (header === "malformed") {
        leave()
        return
      }
      clearTimeout(late)
      socket.off("data", read).off("error", leave).off("end", leave)
      if (header.client !== undefined) clients.set(socket, header.client)
      pass(socket)
      if (bytes.length > header.bytes) begin(socket, bytes.subarray(header.bytes))
    }
    socket.on("data", read).on("error", leave).on("end", leave)
    socket.once("close", () => clearTimeout(late))
  })
}

/** Creates a server, which does not listen yet. */
export const createBoundedServer = (listener: RequestListener, options: BoundedServerOptions = {}): BoundedServer => {
  const limits = { ...defaultLimits, ...options.limits }
  const { headMillis, requestMillis } = limits
  const server = createServer<typeof BoundedRequest, typeof BoundedResponse>({
    IncomingMessage: BoundedRequest,
    ServerResponse: BoundedResponse,
    maxHeaderSize: headBytes,
    // Node requires that a head's timeout is not longer than its request's timeout.
    headersTimeout: Math.min(headMillis, requestMillis),
    requestTimeout: requestMillis,
    connectionsCheckingInterval: Math.min(checkMillis, headMillis, requestMillis),
    // `Connection.closeIfIdle` closes idle connections.
    keepAliveTimeout: 0,
    // Off by default, because a listener may wait for the end of a request without a body.
    optimizeEmptyRequests: options.isLean === true,
    // Headers with the same name are joined, so that a second Authorization header is not silently dropped.
    joinDuplicateHeaders: true,
    // Node would respond to a missing Host without a body.
    requireHostHeader: false,
  })
  // Node would refuse further lines as a head that is too long. Instead, `refusal.ts` counts lines and bytes.
  server.maxHeadersCount = 0
  allowHalfOpen(server)

  const { take, refuse, refuseTunnel, drain, isDraining, ...connections } = trackConnections(server, listener, {
    limits,
    budget: options.budget ?? new Budget(limits.budgetBytes),
    refuse: options.refuse ?? plainRefusal,
    observe: options.observe ?? (() => {}),
    responseSize: options.reserves === true ? undefined : new ResponseSize(),
    alwaysServed: new Set(options.alwaysServe),
    closesOldest: options.closesOldest === true,
  })
  if (options.isProxy !== undefined) readProxyHeaders(server, options.isProxy, headMillis, connections)
  server.on("request", (request, response) => take(request, response))
  // The head is checked before `100 Continue`.
  server.on("checkContinue", (request, response) => take(request, response, true))
  // RFC 9110 §10.1.1 lets a server ignore an unknown expectation.
  server.on("checkExpectation", (request, response) => take(request, response))
  server.on("connect", ({ headers, socket }) => refuseTunnel(socket, headers.origin))
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const refusal = parserFailure(error)
    if (refusal === undefined || !(socket instanceof Socket)) socket.destroy()
    else refuse(socket, refusal, originIn(error.rawPacket))
  })
  return Object.assign(server, { drain, isDraining })
}
