/** The HTTP server: network limits, and an Error object even for unreadable requests. */
import type { RequestListener, Server } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Config } from "../config.js"
import { type Connections, type ConnectionsOptions, trackConnections } from "./connections.js"
import type { ParserError } from "./intake.js"
import { createServer } from "./node-http.js"
import { headBytes, malformed, originIn, parserFailure } from "./refusal.js"
import { ServiceResponse } from "./service-response.js"

/** How often Node looks for requests that take too long, in ms. Its default of 30 s would be too late. */
const checkMillis = 1_000

export interface ServerOptions extends ConnectionsOptions, Pick<Config, "headMillis" | "requestMillis"> {}

/** A server and its connections, which are used to stop it. */
export interface HttpServer {
  readonly server: Server
  readonly connections: Connections
}

/** Creates a server, which does not listen yet. */
export const createHttpServer = (
  listener: RequestListener,
  { headMillis, requestMillis, ...options }: ServerOptions,
): HttpServer => {
  const server = createServer({
    ServerResponse: ServiceResponse,
    maxHeaderSize: headBytes,
    // Node requires that a head's timeout is not longer than its request's timeout.
    headersTimeout: Math.min(headMillis, requestMillis),
    requestTimeout: requestMillis,
    connectionsCheckingInterval: Math.min(checkMillis, headMillis, requestMillis),
    // `Connection.closeIfIdle` closes idle connections.
    keepAliveTimeout: 0,
    // A request without a body need not be read to its end.
    optimizeEmptyRequests: true,
    // Headers with the same name are joined, so that a second Authorization header is not silently dropped.
    joinDuplicateHeaders: true,
    // Node would respond to a missing Host without a body. The service responds with an Error object.
    requireHostHeader: false,
  })
  // Node would refuse further lines as a head that is too long. Instead, `refusal.ts` counts lines and bytes.
  server.maxHeadersCount = 0
  // Clients may end their sending side and wait for their responses.
  Object.assign(server, { httpAllowHalfOpen: true })

  const connections = trackConnections(server, listener, options)
  server.on("request", connections.take)
  // The head is checked before `100 Continue`.
  server.on("checkContinue", connections.take)
  // RFC 9110 §10.1.1 lets a server ignore an unknown expectation.
  server.on("checkExpectation", connections.take)
  // CONNECT requests a tunnel, which the service does not offer.
  server.on("connect", ({ headers, socket }) => connections.refuse(socket, malformed, headers.origin))
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const failure = parserFailure(error)
    if (failure === undefined || !(socket instanceof Socket)) socket.destroy()
    else connections.refuse(socket, failure, originIn(error.rawPacket))
  })
  return { server, connections }
}
