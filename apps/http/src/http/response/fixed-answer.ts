/** A text that is the same for everybody, until the next release. */
import { hash } from "node:crypto"
import type { Handler, HeaderList } from "../exchange.js"
import { writeHead } from "./answer.js"
import { isKnown } from "./entity-tag.js"

/**
 * Answers with a text: whole, or by 304 to a caller who has it.
 *
 * @param type     media type
 * @param headers  further headers of its 200 and its 304
 */
export const fixedAnswer = (type: string, text: string, headers: HeaderList = []): Handler => {
  const body = Buffer.from(text)
  const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`
  const headersWithoutBody = ["Cache-Control", "no-cache", "ETag", etag, "X-Content-Type-Options", "nosniff", ...headers]
  const headersWithBody = [...headersWithoutBody, "Content-Type", type, "Content-Length", String(body.length)]
  return (exchange) => {
    const ifNoneMatch = exchange.req.headers["if-none-match"]
    if (ifNoneMatch !== undefined && isKnown(ifNoneMatch, etag)) {
      writeHead(exchange, 304, headersWithoutBody)
      exchange.res.end()
    } else {
      exchange.bodyBytes = body.length
      writeHead(exchange, 200, headersWithBody)
      // For HEAD, Node keeps the body to itself.
      exchange.res.end(body)
    }
  }
}
