/** Responds to messages that the service cannot handle, with or without a readable request. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { RequestObserver } from "../telemetry/request-observer.js"
import { type HttpError, httpError } from "./error-response.js"
import type { HeaderList } from "./exchange.js"
import { STATUS_CODES } from "./node-http.js"
import { requestIdFrom, traceHeaders, traceIdOf } from "./request/request-id.js"
import { decodeTarget, isTarget } from "./request/target.js"
import { headText } from "./response/head.js"
import { requestIdHeader } from "./response/send.js"

/** The longest head of a request, in bytes. */
export const headBytes = 16_384

/** The maximum number of header lines of a request. */
const headerLines = 1_000

/** The headers of every response to a request with this `Origin` header. */
export type OriginHeaders = (origin: string | undefined) => HeaderList

export interface RefusalContext {
  readonly originHeaders: OriginHeaders
  readonly observers: ReadonlyArray<RequestObserver>
}

export const malformed = httpError("malformed_request", "The request is not well-formed HTTP/1.1.")

const wrongHost = httpError("malformed_request", "Host: expected one header of the form host or host:port.")
const wrongCoding = httpError("malformed_request", "Transfer-Encoding: expected chunked, once and in HTTP/1.1, or none.")

const tooLarge = httpError("headers_too_large", `The head of the request is larger than ${headBytes} bytes.`)
const tooManyLines = httpError("headers_too_large", `The request has more than ${headerLines} header lines.`)

export const overloaded = httpError(
  "service_overloaded",
  "The service holds as many requests and responses as it has memory for. Try again in 1 s.",
  ["Retry-After", "1"],
)

const parserFailures: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: tooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpError("request_timeout", "The request did not arrive in time."),
}

/** Why Node's parser or its timeout rejected a message. `undefined` if the connection broke. */
export const parserFailure = ({ code = "" }: NodeJS.ErrnoException): HttpError | undefined =>
  parserFailures[code] ?? (code.startsWith("HPE_") ? malformed : undefined)

/** `uri-host [":" port]` from RFC 9110 §7.2, with the host from RFC 3986 §3.2.2. */
const hostForm =
  /^(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*|\[(?:[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\])(?::[0-9]*)?$/

/** The last valid `Host`. Most clients send the same host. */
let knownHost = ""

const isHost = (host: string): boolean => {
  if (host === knownHost) return true
  if (!hostForm.test(host)) return false
  knownHost = host
  return true
}

/** The size of a head in bytes, assuming one space after each colon: Node's parser does not report the spaces. */
export const sizeOfHead = ({ method = "", url = "", rawHeaders }: IncomingMessage): number => {
  let bytes = method.length + url.length + "  HTTP/1.1\r\n\r\n".length
  for (const text of rawHeaders) bytes += text.length + ": ".length
  return bytes
}

/** Checks for anything that HTTP/1.1 forbids but Node's parser allows. */
export const headFailure = (request: IncomingMessage, sizeBytes: number): HttpError | undefined => {
  const { headers, httpVersion, url = "", rawHeaders } = request
  if (rawHeaders.length > 2 * headerLines) return tooManyLines
  if (sizeBytes > headBytes) return tooLarge
  // RFC 9112 §3: a request line ends with a version. Node accepts a line without one as HTTP/0.9, and also accepts HTTP/2.0.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return malformed
  // RFC 9112 §3.2: a path, an asterisk or an absolute URL.
  if (!isTarget(url)) return malformed
  // RFC 9112 §3.2: exactly one Host in HTTP/1.1. Several are joined with a comma and a space, which no host contains.
  if (headers.host === undefined ? httpVersion !== "1.0" : !isHost(headers.host)) return wrongHost
  // RFC 9112 §6.1 and §6.3: with any other coding the end of the body is unknown. Several headers are joined with a comma.
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && (httpVersion !== "1.1" || coding.toLowerCase() !== "chunked")) return wrongCoding
  return undefined
}

/** Reports a refusal to the request observers and returns its response. An unreadable message has no request. */
const refusalOf = (
  request: Pick<IncomingMessage, "headers" | "method" | "url">,
  { object, text: body, headers: own }: HttpError,
  { originHeaders, observers }: RefusalContext,
) => {
  const { headers, method = "", url = "" } = request
  const { status } = object
  const requestId = requestIdFrom(headers["x-request-id"])
  const bodyBytes = Buffer.byteLength(body)
  const traceId = traceIdOf(headers["traceparent"])
  const path = decodeTarget(url)?.path ?? ""
  for (const { started, ended } of observers) {
    started()
    ended({
      requestId,
      apiKey: undefined,
      operation: "other",
      isDeprecated: false,
      method,
      path,
      status,
      durationMillis: 0,
      bodyBytes,
      isAnswered: true,
      traceId,
    })
  }
  return {
    body,
    headers: [
      ...[requestIdHeader, requestId, "Content-Type", "application/json", "Content-Length", String(bodyBytes)],
      ...[...own, ...originHeaders(headers.origin), ...traceHeaders(headers["traceparent"])],
    ],
  }
}

/** Responds to a request with a failure. The caller decides whether the connection ends afterwards. */
export const answerRefusal = (response: ServerResponse, failure: HttpError, context: RefusalContext): void => {
  const { body, headers } = refusalOf(response.req, failure, context)
  response.writeHead(failure.object.status, headers)
  response.end(body)
}

/** A complete response to a message without a request. It is the last response on its connection. */
export const refusalText = (failure: HttpError, origin: string | undefined, context: RefusalContext): string => {
  const { body, headers } = refusalOf({ headers: { origin } }, failure, context)
  const { status } = failure.object
  return `${headText(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`, headers, 0)}${body}`
}

/** The origin in an unparsed head, if that header has arrived. */
export const originIn = (head: Buffer | undefined): string | undefined =>
  head === undefined ? undefined : /\r\norigin:([^\r\n]*)/i.exec(head.toString("latin1"))?.[1]?.trim()
