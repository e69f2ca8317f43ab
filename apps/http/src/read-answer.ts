/** The answer to a read of the catalogue: validated by its ETag, so that a caller who has it already gets 304. */
import { hash } from "node:crypto"
import type { Context } from "koa"

/** An answer that is ready to be sent for as long as it stays true. */
export interface ReadAnswer {
  readonly body: string
  /** Strong (RFC 9110 §8.8.1): a hash of the body and of its `Link`. */
  readonly etag: string
  /** Headers of a 200, names and values in turn, as `writeHead` takes them. */
  readonly headers: ReadonlyArray<string>
  /** Headers of a 304: the same but for those of the body. */
  readonly headersWithoutBody: ReadonlyArray<string>
}

/** Makes the answer of a JSON text. `link` is its `Link` header; `more` are further headers, names and values in turn. */
export const readAnswer = (body: string, link: string | undefined, more: ReadonlyArray<string> = []): ReadAnswer => {
  const etag = `"${hash("sha256", link === undefined ? body : `${link}\n${body}`, "base64url").slice(0, 22)}"`
  // Private: every answer needed a credential. No-cache: it is asked for again before it is used (RFC 9111 §5.2.2).
  const headersWithoutBody = ["ETag", etag, "Cache-Control", "private, no-cache", ...more]
  if (link !== undefined) headersWithoutBody.push("Link", link)
  const length = String(Buffer.byteLength(body))
  const headers = ["Content-Type", "application/json", "Content-Length", length, ...headersWithoutBody]
  return { body, etag, headers, headersWithoutBody }
}

/** RFC 9110 §13.1.2: one of a list, weak or strong, or any at all. */
const isKnown = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === "*" || ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

/**
 * Sends an answer past Koa's response, which would look at every header and at
 * the body once more. Headers that were set on the response before go with it.
 *
 * @param more  further headers, names and values in turn
 */
export const sendRead = (ctx: Context, answer: ReadAnswer, more: ReadonlyArray<string> = []): void => {
  const { req, res } = ctx
  const ifNoneMatch = req.headers["if-none-match"]
  ctx.respond = false
  if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, answer.etag)) {
    res.writeHead(304, [...more, ...answer.headersWithoutBody])
    res.end()
  } else {
    res.writeHead(200, [...more, ...answer.headers])
    // For HEAD, Node keeps the body to itself.
    res.end(answer.body)
  }
}
