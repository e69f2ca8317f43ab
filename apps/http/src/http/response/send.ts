/** Sends a response: head and body in one write. Koa's own response would inspect every header and the body again. */
import { type HeaderList, headerLines, writeLines } from "@petstore/bounded-http"
import type { Exchange } from "../exchange.js"

/** RFC 8259 §11: JSON is UTF-8, and its media type has no charset parameter. */
export const jsonType = ["Content-Type", "application/json"] as const

export const requestIdHeader = "X-Request-Id"

/** ASCII is the same in both encodings, and Node writes Latin-1 faster. */
export const encodingOf = (text: string, bytes: number): "latin1" | "utf8" => (text.length === bytes ? "latin1" : "utf8")

/** @param lines  the headers of this response alone */
export const writeHead = (exchange: Exchange, status: number, lines: string): void => {
  const { res, requestId, responseHeaders, bodyBytes } = exchange
  exchange.size?.learn(bodyBytes)
  writeLines(res, status, `${requestIdHeader}: ${requestId}\r\n${responseHeaders}${lines}`, bodyBytes)
}

/** Sends a JSON text. For HEAD, Node leaves the body out. */
export const sendJson = (exchange: Exchange, status: number, text: string, headers: HeaderList = []): void => {
  const bytes = Buffer.byteLength(text)
  exchange.bodyBytes = bytes
  writeHead(exchange, status, headerLines([...jsonType, "Content-Length", String(bytes), ...headers]))
  exchange.res.end(text, encodingOf(text, bytes))
}

export const sendEmpty = (exchange: Exchange, status: number, headers: HeaderList): void => {
  writeHead(exchange, status, headerLines(headers))
  exchange.res.end()
}
