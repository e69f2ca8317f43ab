/** How an answer leaves: in one write, past Koa's own response, which would look at every header and at the body again. */
import { hash } from "node:crypto"
import type { ServerResponse } from "node:http"
import type { Exchange } from "../exchange.js"
import { requestIdHeader } from "../steps/request-id.js"

/** Headers as `writeHead` takes them fastest: names and values in turn. */
export type HeaderList = ReadonlyArray<string>

/** RFC 8259 §11: JSON is UTF-8, and its media type has no charset parameter. */
const jsonType = ["Content-Type", "application/json"] as const

/** ASCII, which is the same in both, leaves Node faster as Latin-1. */
const encodingOf = (text: string, bytes: number): "latin1" | "utf8" => (text.length === bytes ? "latin1" : "utf8")

interface Waiting {
  readonly res: ServerResponse
  readonly body: string | undefined
  readonly encoding: "latin1" | "utf8"
}

let waiting: Array<Waiting> = []

const sendAll = (): void => {
  const all = waiting
  waiting = []
  for (const { res, body, encoding } of all) res.end(body, encoding)
}

/**
 * Ends an answer to a read when its turn of the event loop does. Answers that leave one after the other
 * wake whoever reads them once; with work in between each wakes it anew, which costs as much as the work.
 */
const sendAtEndOfTurn = (res: ServerResponse, body: string | undefined, encoding: Waiting["encoding"]): void => {
  if (waiting.push({ res, body, encoding }) === 1) setImmediate(sendAll)
}

/** Sends a JSON text. Headers that were set on the response before go with it. For HEAD, Node keeps the body to itself. */
export const answerJson = (exchange: Exchange, status: number, text: string, headers: HeaderList = []): void => {
  const { res, state } = exchange
  const bytes = Buffer.byteLength(text)
  exchange.respond = false
  res.writeHead(status, [requestIdHeader, state.requestId, ...jsonType, "Content-Length", String(bytes), ...headers])
  res.end(text, encodingOf(text, bytes))
}

/** The answer to a read of the catalogue, ready to be sent for as long as it stays true. */
export interface ReadAnswer {
  readonly body: string
  readonly encoding: "latin1" | "utf8"
  /** Strong (RFC 9110 §8.8.1): a hash of the body and of its `Link`. */
  readonly etag: string
  /** Headers of a 200, but for the request's own. */
  readonly headers: HeaderList
  /** Headers of a 304: the same without those of the body. */
  readonly headersWithoutBody: HeaderList
}

/** Makes the answer of a JSON text. `link` is its `Link` header, `more` are further ones. */
export const readAnswer = (body: string, link: string | undefined, more: HeaderList = []): ReadAnswer => {
  const etag = `"${hash("sha256", link === undefined ? body : `${link}\n${body}`, "base64url").slice(0, 22)}"`
  // Private: every answer needed a credential. No-cache: it is asked for again before it is used (RFC 9111 §5.2.2).
  const headersWithoutBody = ["ETag", etag, "Cache-Control", "private, no-cache", ...more]
  if (link !== undefined) headersWithoutBody.push("Link", link)
  const bytes = Buffer.byteLength(body)
  const headers = [...jsonType, "Content-Length", String(bytes), ...headersWithoutBody]
  return { body, encoding: encodingOf(body, bytes), etag, headers, headersWithoutBody }
}

/** Whether `If-None-Match` names this tag (RFC 9110 §13.1.2): one of a list, weak or strong, or any at all. */
export const isKnown = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === "*" || ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

/** Sends the answer to a read, or 304 to a caller who has it already. */
export const answerRead = (exchange: Exchange, { body, encoding, etag, headers, headersWithoutBody }: ReadAnswer): void => {
  const { req, res, state } = exchange
  const ifNoneMatch = req.headers["if-none-match"]
  exchange.respond = false
  if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, etag)) {
    res.writeHead(304, [requestIdHeader, state.requestId, ...headersWithoutBody])
    sendAtEndOfTurn(res, undefined, encoding)
  } else {
    res.writeHead(200, [requestIdHeader, state.requestId, ...headers])
    sendAtEndOfTurn(res, body, encoding)
  }
}
