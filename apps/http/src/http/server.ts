/** The HTTP server: limits on the wire, and an Error object even where no request could be read. */
import type { RequestListener, Server } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Config } from "../config.js"
import { type Connections, type ConnectionsOptions, trackConnections } from "./connections.js"
import type { ParserError } from "./intake.js"
import { createServer } from "./node-http.js"
import { headBytes, malformed, originIn, parserFailure } from "./refusal.js"
import { ServiceResponse } from "./service-response.js"

/** How often Node looks for requests that took too long, in ms. Its default, 30 s, would let them live on. */
const checkMillis = 1_000

export interface ServerOptions extends ConnectionsOptions, Pick<Config, "headMillis" | "requestMillis"> {}

/** A server, and its connections, through which it stops. */
export interface HttpServer {
  readonly server: Server
  readonly connections: Connections
}

/** Makes the server for a listener of requests. It does not listen yet. */
export const createHttpServer = (
  listener: RequestListener,
  { headMillis, requestMillis, ...options }: ServerOptions,
): HttpServer => {
  const server = createServer({
    ServerResponse: ServiceResponse,
    maxHeaderSize: headBytes,
    // Node refuses a head that may take longer than its request.
    headersTimeout: Math.min(headMillis, requestMillis),
    requestTimeout: requestMillis,
    connectionsCheckingInterval: Math.min(checkMillis, headMillis, requestMillis),
    // Our own look at all connections closes those that are idle: see `Connection.closeIfIdle`.
    keepAliveTimeout: 0,
    // A request without a body needs no stream to be read to its end.
    optimizeEmptyRequests: true,
    // Two headers of one name are joined, so that a second Authorization header is not silently dropped.
    joinDuplicateHeaders: true,
    // Node would answer a missing Host without a body: we answer with an Error object.
    requireHostHeader: false,
  })
  // Node refuses 1001 header lines as a head that is too long: our own look at the head counts both.
  server.maxHeadersCount = 0
  // Clients that have sent all they have may say so, and wait for their answers.
  Object.assign(server, { httpAllowHalfOpen: true })

  const connections = trackConnections(server, listener, options)
  server.on("request", connections.take)
  // Our own look at the head comes before `100 Continue`.
  server.on("checkContinue", connections.take)
  // RFC 9110 §10.1.1 lets a server ignore an expectation it does not know.
  server.on("checkExpectation", connections.take)
  // CONNECT asks for a tunnel, which the service does not offer.
  server.on("connect", ({ headers, socket }) => connections.refuse(socket, malformed, headers.origin))
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const failure = parserFailure(error)
    if (failure === undefined || !(socket instanceof Socket)) socket.destroy()
    else connections.refuse(socket, failure, originIn(error.rawPacket))
  })
  return { server, connections }
}
