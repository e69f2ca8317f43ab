/** The HTTP server: limits on the wire, and an Error object even where no request could be read. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { type ErrorObject, errorObject } from "@petstore/core"
import { traceIdOf } from "../telemetry/observe-requests.js"
import { type Connections, trackConnections } from "./connections.js"
import { requestIdFrom, requestIdHeader } from "./steps/request-id.js"

/** The longest head of a request, in bytes. */
const headBytes = 16_384
/** The longest time for the head of a request, in ms. */
const headMillis = 10_000
/** The longest time for a whole request, in ms. */
const requestMillis = 30_000
/** How often Node looks for requests that took too long, in ms. Its default, 30 s, would let them live on. */
const checkMillis = 1_000
/** How long a caller that broke the protocol may take to read our answer, in ms. */
const lingerMillis = 1_000

export interface ServerOptions {
  /** How long an idle connection is kept, in ms. Longer than a proxy keeps it, so that the proxy closes first. */
  readonly keepAliveMillis: number
}

/** What Node's parser lets pass and HTTP/1.1 does not. */
const headProblem = ({ headers, httpVersion, url = "" }: IncomingMessage): ErrorObject | undefined => {
  // RFC 9112 §3: a request line ends with a version. Node takes one without for HTTP/0.9.
  if (httpVersion === "0.9") return malformed
  // RFC 9112 §3.2: a path, an asterisk or a whole URL. Koa fails to read a URL that is none.
  if (!url.startsWith("/") && url !== "*" && !URL.canParse(url)) return malformed
  // RFC 9112 §3.2: exactly one Host in HTTP/1.1. Several were joined by a comma, which no host has.
  const hasOneHost = headers.host === undefined ? httpVersion === "1.0" : !headers.host.includes(",")
  return hasOneHost ? undefined : errorObject("malformed_request", "Host: expected one header, got none or several.")
}

/** What Node's parser says, as an Error object. */
const parserErrors: Readonly<Record<string, ErrorObject>> = {
  HPE_HEADER_OVERFLOW: errorObject("headers_too_large", `The head of the request is larger than ${headBytes} bytes.`),
  ERR_HTTP_REQUEST_TIMEOUT: errorObject("request_timeout", "The request did not arrive in time."),
}

const malformed = errorObject("malformed_request", "The request is not well-formed HTTP/1.1.")

/** A whole answer for a connection on which no request could be read. */
const rawAnswer = (error: ErrorObject, reason: string): string => {
  const body = JSON.stringify(error)
  return [
    `HTTP/1.1 ${error.status} ${reason}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${requestIdFrom(undefined)}`,
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n")
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
}

/** Answers and closes. What still arrives is read and dropped for a moment: an early close could make the caller's system throw our answer away. */
const refuse = (socket: Duplex, error: ErrorObject): void => {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(rawAnswer(error, reasons[error.status] ?? "Bad Request"))
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMillis).unref()
}

/** A server, and the door through which it stops. */
export interface HttpServer {
  readonly server: Server
  readonly connections: Connections
}

/** Makes the server for a listener of requests. It does not listen yet. */
export const createHttpServer = (listener: RequestListener, { keepAliveMillis }: ServerOptions): HttpServer => {
  const handle: RequestListener = (request, response) => {
    connections.begin(request, response)
    const problem = headProblem(request)
    if (problem !== undefined) {
      refuse(response.socket ?? request.socket, problem)
      return
    }
    // W3C Trace Context: whoever named a trace finds it on the answer; a tracer puts its own span in its place.
    const { traceparent } = request.headers
    if (traceIdOf(traceparent) !== undefined) response.setHeader("traceparent", String(traceparent))
    listener(request, response)
  }
  const server = createServer(
    {
      maxHeaderSize: headBytes,
      headersTimeout: headMillis,
      requestTimeout: requestMillis,
      connectionsCheckingInterval: checkMillis,
      keepAliveTimeout: keepAliveMillis,
      // Two headers of one name are joined, so that a second Authorization header is not silently dropped.
      joinDuplicateHeaders: true,
      // Node would answer a missing Host without a body: we answer with an Error object.
      requireHostHeader: false,
    },
    handle,
  )
  const connections = trackConnections(server)
  // RFC 9110 §10.1.1 lets a server ignore an expectation it does not know.
  server.on("checkExpectation", handle)
  // CONNECT asks for a tunnel, and there is none to be had.
  server.on("connect", (_request, socket) => refuse(socket, malformed))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET") socket.destroy()
    else refuse(socket, parserErrors[error.code ?? ""] ?? malformed)
  })
  return { server, connections }
}
