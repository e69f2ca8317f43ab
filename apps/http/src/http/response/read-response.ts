/** The response to a read under the base address (specification, section 11). It is built once and sent while it is current. */
import { headerLines, inOnePiece } from "@petstore/bounded-http"
import type { Exchange } from "../exchange.js"
import { etagOf, isKnown } from "./entity-tag.js"
import { encodingOf, jsonType, writeHead } from "./send.js"

const jsonLines = inOnePiece(headerLines(jsonType))

export interface ReadResponse {
  readonly body: string | Buffer
  readonly bytes: number
  readonly encoding: "latin1" | "utf8"
  /** Strong (RFC 9110 §8.8.1): a hash of the body and of its `Link`. */
  readonly etag: string
  /** Header lines of the 200, except the request's own. */
  readonly headers: string
  /** Header lines of the 304: the same ones without the body's headers. */
  readonly headersWithoutBody: string
}

/** Responses share a body of at least this many bytes as one buffer. Node would copy a string for each response. */
const sharedBytes = 16_384

export const bodyOf = (text: string, bytes: number): string | Buffer => (bytes < sharedBytes ? text : Buffer.from(text))

/** Builds the response for a JSON text. `link` is its `Link` header, and `shown` is the text from which the tag is computed. */
export const readResponse = (body: string, link?: string, shown = body): ReadResponse => {
  const etag = etagOf(link === undefined ? shown : `${link}\n${shown}`)
  // Private, because every response needs a credential. No-cache, so that a cache revalidates before each use (RFC 9111 §5.2.2).
  const cached = `ETag: ${etag}\r\nCache-Control: private, no-cache\r\n`
  const headersWithoutBody = link === undefined ? cached : `${cached}Link: ${link}\r\n`
  const bytes = Buffer.byteLength(body)
  const headers = `${jsonLines}Content-Length: ${bytes}\r\n${headersWithoutBody}`
  return { body: bodyOf(body, bytes), bytes, encoding: encodingOf(body, bytes), etag, headers, headersWithoutBody }
}

/** Writes the response now, as a 304 to a client that already has it. */
export const writeRead = (exchange: Exchange, answer: ReadResponse): void => {
  const { req, res } = exchange
  const ifNoneMatch = req.headers["if-none-match"]
  if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, answer.etag)) {
    writeHead(exchange, 304, answer.headersWithoutBody)
    res.end()
  } else {
    exchange.bodyBytes = answer.bytes
    writeHead(exchange, 200, answer.headers)
    res.end(answer.body, answer.encoding)
  }
}

export type SendRead = (exchange: Exchange, answer: ReadResponse) => void
