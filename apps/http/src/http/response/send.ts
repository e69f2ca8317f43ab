/** Sends a response: head and body in one write. Koa's own response would inspect every header and the body again. */
import type { Exchange, HeaderList } from "../exchange.js"

/** RFC 8259 §11: JSON is UTF-8, and its media type has no charset parameter. */
export const jsonType = ["Content-Type", "application/json"] as const

export const requestIdHeader = "X-Request-Id"

/** ASCII is the same in both encodings, and Node writes Latin-1 faster. */
export const encodingOf = (text: string, bytes: number): "latin1" | "utf8" => (text.length === bytes ? "latin1" : "utf8")

export const writeHead = (exchange: Exchange, status: number, own: HeaderList): void => {
  const { res, requestId, responseHeaders: headers } = exchange
  exchange.size?.learn(exchange.bodyBytes)
  res.writeHead(
    status,
    headers.length === 0 ? [requestIdHeader, requestId, ...own] : [requestIdHeader, requestId, ...headers, ...own],
  )
}

/** Sends a JSON text. For HEAD, Node leaves the body out. */
export const sendJson = (exchange: Exchange, status: number, text: string, headers: HeaderList = []): void => {
  const bytes = Buffer.byteLength(text)
  exchange.bodyBytes = bytes
  writeHead(exchange, status, [...jsonType, "Content-Length", String(bytes), ...headers])
  exchange.res.end(text, encodingOf(text, bytes))
}

export const sendEmpty = (exchange: Exchange, status: number, headers: HeaderList): void => {
  writeHead(exchange, status, headers)
  exchange.res.end()
}
