/** Messages that the server refuses, with or without a readable request, and the responses to them. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type HeaderList, headerLines, headText } from "./head.js"

/** The longest head of a request, in bytes. */
export const headBytes = 16_384

/** The maximum number of header lines of a request. */
const linesMaximum = 1_000

/** Why a message is refused. */
export interface Refusal {
  readonly code: "malformed_request" | "headers_too_large" | "request_timeout" | "service_overloaded"
  readonly status: 400 | 408 | 431 | 503
  readonly message: string
  /** Headers of the response: alternating names and values. */
  readonly headers: HeaderList
}

/** What is known of a refused request. A message that cannot be read has at most an `Origin` header. */
export interface RefusedRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** For `clientOf`. */
  readonly socket: Socket
}

export interface RefusalResponse {
  /** Alternating names and values, without `Content-Length`, `Date` and `Connection`. */
  readonly headers: HeaderList
  readonly body: string
}

/** Makes the response to a refused message. The server sets the status. */
export type Refuse = (refusal: Refusal, request: RefusedRequest) => RefusalResponse

/** The response to a refused message if the server was created without another. */
export const plainRefusal: Refuse = ({ code, status, message, headers }) => ({
  headers: ["Content-Type", "application/json", ...headers],
  body: JSON.stringify({ code, message, status }),
})

/** The error of a body that will not be complete. A listener that is reading it gets this error, and may still respond. */
export class MessageRefused extends Error {
  override readonly name = "MessageRefused"
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

const badRequest = (message: string): Refusal => ({ code: "malformed_request", status: 400, message, headers: [] })
const largeHead = (message: string): Refusal => ({ code: "headers_too_large", status: 431, message, headers: [] })

export const malformed = badRequest("The request is not well-formed HTTP/1.1.")

const wrongHost = badRequest("Host: expected one header of the form host or host:port.")
const wrongCoding = badRequest("Transfer-Encoding: expected chunked, once and in HTTP/1.1, or none.")

const tooLarge = largeHead(`The head of the request is larger than ${headBytes} bytes.`)
const tooManyLines = largeHead(`The request has more than ${linesMaximum} header lines.`)

export const overloaded: Refusal = {
  code: "service_overloaded",
  status: 503,
  message: "The service holds as many requests and responses as it has memory for. Try again in 1 s.",
  headers: ["Retry-After", "1"],
}

export const late: Refusal = {
  code: "request_timeout",
  status: 408,
  message: "The request did not arrive in time.",
  headers: [],
}

const parserFailures: Readonly<Record<string, Refusal>> = { HPE_HEADER_OVERFLOW: tooLarge, ERR_HTTP_REQUEST_TIMEOUT: late }

/** Why Node's parser or its timeout rejected a message. `undefined` if the connection broke. */
export const parserFailure = ({ code = "" }: NodeJS.ErrnoException): Refusal | undefined =>
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

/** `http://host:port`, without user information, which RFC 9110 §4.2.4 lets a server refuse. The host follows RFC 3986 §3.2.2. */
const absoluteForm = /^https?:\/\/(?:[A-Za-z0-9\-._~!$&'()*+,;=%]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?(?:[/?#]|$)/i

/** RFC 9112 §3.2: a path, an asterisk or an absolute URL. */
const isTarget = (target: string): boolean => target.startsWith("/") || target === "*" || absoluteForm.test(target)

/** The size of a head in bytes, assuming one space after each colon: Node's parser does not report the spaces. */
export const sizeOfHead = ({ method = "", url = "", rawHeaders }: IncomingMessage): number => {
  let bytes = method.length + url.length + "  HTTP/1.1\r\n\r\n".length
  for (const text of rawHeaders) bytes += text.length + ": ".length
  return bytes
}

/** Checks for anything that HTTP/1.1 forbids but Node's parser allows. */
export const headFailure = (request: IncomingMessage, sizeBytes: number): Refusal | undefined => {
  const { headers, httpVersion, url = "", rawHeaders } = request
  if (rawHeaders.length > 2 * linesMaximum) return tooManyLines
  if (sizeBytes > headBytes) return tooLarge
  // RFC 9112 §3: a request line ends with a version. Node accepts a line without one as HTTP/0.9, and also accepts HTTP/2.0.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return malformed
  if (!isTarget(url)) return malformed
  // RFC 9112 §3.2: exactly one Host in HTTP/1.1. Several are joined with a comma and a space, which no host contains.
  if (headers.host === undefined ? httpVersion !== "1.0" : !isHost(headers.host)) return wrongHost
  // RFC 9112 §6.1 and §6.3: with any other coding the end of the body is unknown. Several headers are joined with a comma.
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && (httpVersion !== "1.1" || coding.toLowerCase() !== "chunked")) return wrongCoding
  return undefined
}

/** Responds to a request with a refusal. The caller decides whether the connection ends afterwards. */
export const answerRefusal = (response: ServerResponse, refusal: Refusal, refuse: Refuse): void => {
  const { body, headers } = refuse(refusal, response.req)
  response.writeHead(refusal.status, [...headers, "Content-Length", String(Buffer.byteLength(body))])
  response.end(body)
}

/** A complete response to a message without a request. It is the last response on its connection. */
export const refusalText = (refusal: Refusal, origin: string | undefined, socket: Socket, refuse: Refuse): string => {
  const { body, headers } = refuse(refusal, { headers: { origin }, socket })
  const lines = headerLines([...headers, "Content-Length", String(Buffer.byteLength(body))])
  return `${headText(refusal.status, lines, 0)}${body}`
}

/** The origin in an unparsed head, if that header has arrived. */
export const originIn = (head: Buffer | undefined): string | undefined =>
  head === undefined ? undefined : /\r\norigin:([^\r\n]*)/i.exec(head.toString("latin1"))?.[1]?.trim()
