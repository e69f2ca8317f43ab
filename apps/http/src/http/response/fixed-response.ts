import type { Handler, HeaderList } from "../exchange.js"
import { etagOf } from "./entity-tag.js"
import { bodyOf, writeRead } from "./read-response.js"
import { encodingOf } from "./send.js"

/**
 * Responds with text that is the same for every client, or with 304 to a client that already has it.
 *
 * @param headers  additional headers for the 200 and the 304 response
 */
export const fixedResponse = (type: string, text: string, headers: HeaderList = []): Handler => {
  const bytes = Buffer.byteLength(text)
  const etag = etagOf(text)
  const headersWithoutBody = ["Cache-Control", "no-cache", "ETag", etag, "X-Content-Type-Options", "nosniff", ...headers]
  const answer = {
    body: bodyOf(text, bytes),
    bytes,
    encoding: encodingOf(text, bytes),
    etag,
    headersWithoutBody,
    headers: [...headersWithoutBody, "Content-Type", type, "Content-Length", String(bytes)],
  }
  return (exchange) => writeRead(exchange, answer)
}
