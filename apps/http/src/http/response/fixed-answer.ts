/** A text that is the same for everybody, until the next release. */
import { createHash } from "node:crypto"
import type { Context } from "koa"
import { requestIdHeader } from "../steps/request-id.js"
import { isKnown } from "./answer.js"

/** A text with its media type, ready to be answered. */
export interface FixedAnswer {
  readonly type: string
  readonly body: Buffer
  /** Strong: a hash of the bytes (RFC 9110 §8.8.3). */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Prepares an answer.
 *
 * @param type     media type
 * @param headers  further headers of its 200 and its 304
 */
export const fixedAnswer = (type: string, text: string, headers: Readonly<Record<string, string>> = {}): FixedAnswer => {
  const body = Buffer.from(text)
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22)
  return { type, body, etag: `"${hash}"`, headers }
}

/** Answers it: whole, or by 304 to a caller who has it. For HEAD, Node keeps the body to itself. */
export const answerFixed = (ctx: Context, { type, body, etag, headers }: FixedAnswer): void => {
  const ifNoneMatch = ctx.req.headers["if-none-match"]
  const isCurrent = ifNoneMatch !== undefined && isKnown(ifNoneMatch, etag)
  ctx.respond = false
  ctx.res.writeHead(isCurrent ? 304 : 200, {
    [requestIdHeader]: ctx.state["requestId"],
    "Cache-Control": "no-cache",
    ETag: etag,
    "X-Content-Type-Options": "nosniff",
    ...headers,
    ...(isCurrent ? {} : { "Content-Type": type, "Content-Length": body.length }),
  })
  ctx.res.end(isCurrent ? undefined : body)
}
