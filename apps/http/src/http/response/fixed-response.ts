import { gzipSync } from "node:zlib"
import { type HeaderList, headerLines } from "@petstore/bounded-http"
import type { Handler } from "../exchange.js"
import { etagOf } from "./entity-tag.js"
import { bodyOf, type ReadResponse, writeRead } from "./read-response.js"
import { encodingOf } from "./send.js"

/** An `Accept-Encoding` that names gzip, but not with the weight 0 (RFC 9110 §12.5.3). */
const namesGzip = /(?:^|[,\s])gzip\s*(?:,|$|;\s*q=(?:1|0\.\d*[1-9]))/i

/**
 * Responds with text that is the same for every client, or with 304 to a client that already has it. The text is compressed once,
 * for the first client that takes gzip.
 *
 * @param headers  additional headers for the 200 and the 304 response
 */
export const fixedResponse = (type: string, text: string, headers: HeaderList = []): Handler => {
  const bytes = Buffer.byteLength(text)
  const body = bodyOf(text, bytes)
  const encoding = encodingOf(text, bytes)
  const etag = etagOf(text)
  const common = ["Cache-Control", "no-cache", "Vary", "Accept-Encoding", "X-Content-Type-Options", "nosniff", ...headers]

  const answerOf = (body: string | Buffer, length: number, tag: string, coding: HeaderList): ReadResponse => {
    const headersWithoutBody = ["ETag", tag, ...common]
    return {
      body,
      bytes: length,
      encoding,
      etag: tag,
      headersWithoutBody: headerLines(headersWithoutBody),
      headers: headerLines([...headersWithoutBody, "Content-Type", type, ...coding, "Content-Length", String(length)]),
    }
  }
  const plain = answerOf(body, bytes, etag, [])
  let compressed: ReadResponse | undefined
  const compress = (): ReadResponse => {
    // From the body, because a function that uses `text` would keep it beside the bytes of a long one.
    const shorter = gzipSync(body)
    // The suffix is one that `tagsIn` leaves aside, so a client may revalidate either form (decision 0049).
    return answerOf(shorter, shorter.length, etag.replace(/"$/, '-gzip"'), ["Content-Encoding", "gzip"])
  }

  return (exchange) => {
    if (!namesGzip.test(exchange.req.headers["accept-encoding"] ?? "")) return writeRead(exchange, plain)
    compressed ??= compress()
    return writeRead(exchange, compressed)
  }
}
