/** A request and its response: Koa's context, extended with the service's own data about the request. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { clientOf, type ResponseSize } from "@petstore/bounded-http"
import type { ApiKey, Caller } from "@petstore/core"
import Koa from "koa"
import type { ObservedRequest } from "../telemetry/request-observer.js"
import { decodeTarget } from "./request/target.js"

/** Responds to a checked request, synchronously until it has to wait. A value that it throws becomes a failure response. */
export type Handler = (exchange: Exchange) => void | Promise<void>

/** An operation, bound to its handler's dependencies. */
export interface Route {
  readonly id: string
  readonly isDeprecated: boolean
  /** Header lines of every response that the operation itself sends. */
  readonly headers: string
  readonly handler: Handler
}

/** The operations at a path. */
export interface Resource {
  /** Whether requests need an API key, even to get a 404 or a 405. */
  readonly credential: boolean
  /** By method. Empty if nothing is served here. */
  readonly routes: ReadonlyMap<string, Route>
  /** The methods, in the form of an `Allow` header. */
  readonly allow: string
  /** Returns the decoded part that the client chose in a path, or `""` if the path is fixed. */
  readonly parameterIn: (path: string) => string
}

export type FindResource = (path: string) => Resource

/** The prototype that all of Koa's contexts share, as a class. Safe: it has the members that Koa's types declare. */
const KoaContext = function KoaContext() {} as unknown as new () => Koa.ParameterizedContext
KoaContext.prototype = Object.getPrototypeOf(new Koa().context)

type Stock = Pick<Koa.Context, "request" | "response">

const stockOf = (exchange: Exchange): Stock => {
  if (exchange.stock === undefined) {
    const { app, req, res, originalUrl } = exchange
    const request: Koa.Request = Object.create(app.request)
    const response: Koa.Response & { body: unknown } = Object.create(app.response)
    Object.assign(request, { app, req, res, ctx: exchange, response, originalUrl })
    Object.assign(response, { app, req, res, ctx: exchange, request })
    exchange.stock = { request, response }
  }
  return exchange.stock
}

/**
 * Each request has its own exchange. Koa's own request and response take as long as all other steps together, so they are created
 * only when middleware uses them. The fields are read from the request once, so assigning `ctx.path` or `ctx.method` does not
 * change the operation.
 */
export class Exchange extends KoaContext implements ObservedRequest {
  override readonly req: IncomingMessage
  override readonly res: ServerResponse
  override readonly originalUrl: string
  override readonly method: string
  /** The path as sent, without the query. Empty if the target is malformed, which our server refuses earlier. */
  override readonly path: string
  /** The query without its question mark. */
  override readonly querystring: string
  override state: Koa.DefaultState = {}
  /** False after one of our steps has taken over the response, so that Koa does not respond. */
  override respond = true
  /** Monotonic clock. Later by the time for which the request waited for changes. */
  startedAtMillis = performance.now()
  readonly resource: Resource
  readonly route: Route | undefined
  requestId = ""
  /** The client's API key, once it has been accepted. */
  apiKey: ApiKey | undefined = undefined
  traceId: string | undefined = undefined
  made: bigint | undefined = undefined
  /** Header lines of the response in addition to the handler's own. */
  responseHeaders = ""
  bodyBytes = 0
  /** The expected length of the operation's responses, once the request was admitted. */
  size: ResponseSize | undefined = undefined
  durationMillis = 0
  isAnswered = false
  /** Koa's own objects, once middleware has used one. */
  stock: Stock | undefined = undefined

  /** Responds to any thrown value with a failure. */
  declare onerror: (thrown: unknown) => void

  constructor(req: IncomingMessage, res: ServerResponse, findResource: FindResource) {
    super()
    const url = req.url ?? ""
    const target = decodeTarget(url)
    this.req = req
    this.res = res
    this.originalUrl = url
    this.method = req.method ?? ""
    this.path = target?.path ?? ""
    this.querystring = target?.query ?? ""
    this.resource = findResource(this.path)
    this.route = this.resource.routes.get(this.method)
  }

  override get request(): Koa.Request {
    return stockOf(this).request
  }

  override get response(): Koa.Response & { body: unknown } {
    return stockOf(this).response
  }

  /** Adds header lines to the response, even if it is a failure. */
  addHeaders(lines: string): void {
    this.responseHeaders += lines
  }

  /** The API key in a request to an operation that needs one. */
  get caller(): ApiKey {
    if (this.apiKey === undefined) throw new Error(`${this.operation} needs a credential, and authentication did not run`)
    return this.apiKey
  }

  /** The caller and the request, for the changes that the request makes. */
  get by(): Caller {
    const { accountId, id: keyId } = this.caller
    return { accountId, keyId, requestId: this.requestId }
  }

  get parameter(): string {
    return this.resource.parameterIn(this.path)
  }

  get operation(): string {
    return this.route?.id ?? "other"
  }

  get clientAddress(): string | undefined {
    return clientOf(this.req).address
  }

  get isDeprecated(): boolean {
    return this.route?.isDeprecated === true
  }

  override get status(): number {
    return this.res.statusCode
  }

  override set status(status: number) {
    this.response.status = status
  }
}

/** Runs a request's deferred work outside the middleware. If the work fails, responds with the failure. */
export const attempt = (exchange: Exchange, work: Handler): void => {
  try {
    work(exchange)?.catch((thrown: unknown) => exchange.onerror(thrown))
  } catch (thrown) {
    exchange.onerror(thrown)
  }
}
