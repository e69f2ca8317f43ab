/** How an answer leaves: in one write, past Koa's own response, which would look at every header and at the body again. */
import { hash } from "node:crypto"
import type { Context } from "koa"
import { requestIdHeader } from "./middleware/request-id.js"

/** Headers as `writeHead` takes them fastest: names and values in turn. */
export type HeaderList = ReadonlyArray<string>

/** RFC 8259 §11: JSON is UTF-8, and its media type has no charset parameter. */
const jsonType = ["Content-Type", "application/json"] as const

/** Sends a JSON text. Headers that were set on the response before go with it. For HEAD, Node keeps the body to itself. */
export const answerJson = (ctx: Context, status: number, text: string, headers: HeaderList = []): void => {
  ctx.respond = false
  const length = String(Buffer.byteLength(text))
  ctx.res.writeHead(status, [requestIdHeader, ctx.state["requestId"], ...jsonType, "Content-Length", length, ...headers])
  ctx.res.end(text)
}

/** The answer to a read of the catalogue, ready to be sent for as long as it stays true. */
export interface ReadAnswer {
  readonly body: string
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
  const headers = [...jsonType, "Content-Length", String(Buffer.byteLength(body)), ...headersWithoutBody]
  return { body, etag, headers, headersWithoutBody }
}

/** Whether `If-None-Match` names this tag (RFC 9110 §13.1.2): one of a list, weak or strong, or any at all. */
export const isKnown = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === "*" || ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

/** Sends the answer to a read, or 304 to a caller who has it already. */
export const answerRead = (ctx: Context, { body, etag, headers, headersWithoutBody }: ReadAnswer): void => {
  const { req, res } = ctx
  const ifNoneMatch = req.headers["if-none-match"]
  ctx.respond = false
  if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, etag)) {
    res.writeHead(304, [requestIdHeader, ctx.state["requestId"], ...headersWithoutBody])
    res.end()
  } else {
    res.writeHead(200, [requestIdHeader, ctx.state["requestId"], ...headers])
    res.end(body)
  }
}
