/** A request on its way through the pipeline, without a connection: what is sent is collected. */
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Duplex } from "node:stream"
import { Exchange, type Handler, type Resource } from "../../src/http/exchange.js"

export interface Given {
  readonly method?: string
  readonly url?: string
  readonly headers?: IncomingHttpHeaders
  /** What is served wherever the request goes. */
  readonly resource?: Partial<Resource>
}

export interface Sent {
  readonly exchange: Exchange
  /** Everything that was sent so far, head and body. */
  readonly sent: () => string
}

/** A resource at which a GET is answered. */
export const resourceOf = (handler: Handler, resource: Partial<Resource> = {}): Resource => ({
  credential: false,
  routes: new Map([["GET", { id: "test", isDeprecated: false, headers: [], handler }]]),
  allow: "GET, HEAD, OPTIONS",
  parameter: "",
  ...resource,
})

export const exchangeOf = ({ method = "GET", url = "/", headers = {}, resource = {} }: Given = {}): Sent => {
  const req = Object.assign(new IncomingMessage(new Socket()), { method, url, headers, httpVersionMajor: 1, httpVersionMinor: 1 })
  const res = new ServerResponse(req)
  let sent = ""
  const connection = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      sent += chunk.toString()
      done()
    },
  })
  // Safe: a response asks nothing of its socket that a duplex stream has not.
  res.assignSocket(connection as Socket)
  return { exchange: new Exchange(req, res, () => resourceOf(() => {}, resource)), sent: () => sent }
}

/** A header list as an object. */
export const headersOf = (list: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: list.length / 2 }, (_, index) => [list[2 * index], list[2 * index + 1]]))
