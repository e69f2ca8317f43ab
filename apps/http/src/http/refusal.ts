/** What is said to a caller whose message cannot be run: with the answer to its request, or on its connection where no request could be read. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type HttpError, httpError } from "./error-response.js"
import type { HeaderList } from "./exchange.js"
import { STATUS_CODES } from "./node-http.js"
import { requestIdFrom, traceHeaders } from "./request/request-id.js"
import { isTarget } from "./request/target.js"
import { headText } from "./response/head.js"
import { requestIdHeader } from "./response/send.js"

/** The longest head of a request, in bytes. */
export const headBytes = 16_384

/** Headers that every answer to an origin carries; none for one that is not named, or unknown. */
export type OriginHeaders = (origin: string | undefined) => HeaderList

export const malformed = httpError("malformed_request", "The request is not well-formed HTTP/1.1.")

const wrongHost = httpError("malformed_request", "Host: expected one header of the form host or host:port.")
const wrongCoding = httpError("malformed_request", "Transfer-Encoding: expected chunked, once and in HTTP/1.1, or none.")

/** What Node's parser says, as a failure. */
const parserFailures: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: httpError("headers_too_large", `The head of the request is larger than ${headBytes} bytes.`),
  ERR_HTTP_REQUEST_TIMEOUT: httpError("request_timeout", "The request did not arrive in time."),
}

/** Why Node's parser, or its clock, gave a message up. `undefined` if it was the connection that broke. */
export const parserFailure = ({ code = "" }: NodeJS.ErrnoException): HttpError | undefined =>
  parserFailures[code] ?? (code.startsWith("HPE_") ? malformed : undefined)

/** `uri-host [":" port]` of RFC 9110 §7.2: the host is that of RFC 3986 §3.2.2. */
const hostForm =
  /^(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*|\[(?:[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\])(?::[0-9]*)?$/

/** The last `Host` that had the form: most callers send the same. */
let knownHost = ""

const isHost = (host: string): boolean => {
  if (host === knownHost) return true
  if (!hostForm.test(host)) return false
  knownHost = host
  return true
}

/** What Node's parser lets pass and HTTP/1.1 does not. */
export const headFailure = ({ headers, httpVersion, url = "" }: IncomingMessage): HttpError | undefined => {
  // RFC 9112 §3: a request line ends with a version. Node takes one without for HTTP/0.9, and HTTP/2.0 as well.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return malformed
  // RFC 9112 §3.2: a path, an asterisk or a whole URL.
  if (!isTarget(url)) return malformed
  // RFC 9112 §3.2: exactly one Host in HTTP/1.1. Several were joined by a comma and a space, which no host has.
  if (headers.host === undefined ? httpVersion !== "1.0" : !isHost(headers.host)) return wrongHost
  // RFC 9112 §6.1 and §6.3: with any other coding the end of the body is unknown. Several headers were joined by a comma.
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && (httpVersion !== "1.1" || coding.toLowerCase() !== "chunked")) return wrongCoding
  return undefined
}

/** Responds to a request with a failure. The caller decides whether the connection ends with it. */
export const answerRefusal = (response: ServerResponse, { object }: HttpError, originHeaders: OriginHeaders): void => {
  const { headers } = response.req
  const body = JSON.stringify(object)
  response.writeHead(object.status, [
    ...[requestIdHeader, requestIdFrom(headers["x-request-id"])],
    ...["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))],
    ...originHeaders(headers.origin),
    ...traceHeaders(headers["traceparent"]),
  ])
  response.end(body)
}

/** A whole answer, the last of its connection, to a message of which there is no request. */
export const refusalText = ({ object }: HttpError, headers: HeaderList): string => {
  const body = JSON.stringify(object)
  const all = [
    ...["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))],
    ...[requestIdHeader, requestIdFrom(undefined), ...headers],
  ]
  return `${headText(`HTTP/1.1 ${object.status} ${STATUS_CODES[object.status]}\r\n`, all, 0)}${body}`
}

/** The origin that a head names, as far as it arrived: no parser has read it. */
export const originIn = (head: Buffer | undefined): string | undefined =>
  head === undefined ? undefined : /\r\norigin:([^\r\n]*)/i.exec(head.toString("latin1"))?.[1]?.trim()
