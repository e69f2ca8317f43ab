/** Runs a request through the middleware without a connection, and collects the sent bytes. */
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Duplex } from "node:stream"
import { type Logger, pino } from "pino"
import type { Exchange, Handler, Resource } from "../../src/http/exchange.js"
import { ServiceKoa, type Step } from "../../src/http/service-koa.js"

export interface Given {
  readonly method?: string
  readonly url?: string
  readonly headers?: IncomingHttpHeaders
  /** The resource for every path. */
  readonly resource?: Partial<Resource>
  readonly logger?: Pick<Logger, "error">
}

export interface Sent {
  readonly exchange: Exchange
  /** Everything sent so far, head and body. */
  readonly sent: () => string
}

/** A resource that serves GET. */
export const resourceOf = (handler: Handler, resource: Partial<Resource> = {}): Resource => ({
  credential: false,
  routes: new Map([["GET", { id: "test", isDeprecated: false, headers: "", handler }]]),
  allow: "GET, HEAD, OPTIONS",
  parameterIn: () => "",
  ...resource,
})

/** A request and a response on a connection that collects the sent bytes. */
export const messagesOf = ({ method = "GET", url = "/", headers = {} }: Given) => {
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
  // Safe: a response uses only the members of a duplex stream.
  res.assignSocket(connection as Socket)
  return { req, res, sent: () => sent }
}

export const exchangeOf = ({ resource = {}, logger = pino({ enabled: false }), ...given }: Given = {}): Sent => {
  const { req, res, sent } = messagesOf(given)
  const exchange = new ServiceKoa(() => resourceOf(() => {}, resource), logger).createContext(req, res)
  return { exchange, sent }
}

/** Runs a step. Returns whether the step called `next`, and the step's result. */
export const through = (step: Step, exchange: Exchange): { readonly passed: boolean; readonly result: void | Promise<void> } => {
  let passed = false
  const result = step(exchange, () => {
    passed = true
    return Promise.resolve()
  })
  return { passed, result }
}
