/** A request and its response on their way through the middleware: Koa's context, with what the service knows of the request. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ApiKey } from "@petstore/core"
import Koa from "koa"
import type { ObservedRequest } from "../telemetry/request-observer.js"
import { decodeTarget } from "./request/target.js"

/** Headers as `writeHead` takes them fastest: names and values in turn. */
export type HeaderList = ReadonlyArray<string>

/** Answers a request that was checked. Synchronous until it has to wait; what it throws is answered as a failure. */
export type Handler = (exchange: Exchange) => void | Promise<void>

/** An operation, bound to what its handler needs. */
export interface Route {
  readonly id: string
  readonly isDeprecated: boolean
  /** What every response of the operation itself carries. */
  readonly headers: HeaderList
  readonly handler: Handler
}

/** What is served at a path. */
export interface Resource {
  /** Whether a request needs an API key to learn anything about it. */
  readonly credential: boolean
  /** By method. Empty if nothing is served here. */
  readonly routes: ReadonlyMap<string, Route>
  /** The methods, as an `Allow` header names them. */
  readonly allow: string
  /** The part of a path that the client chose, decoded; `""` where the path is fixed. */
  readonly parameterIn: (path: string) => string
}

/** Finds what is served at a path. */
export type FindResource = (path: string) => Resource

const noHeaders: HeaderList = []

/** The prototype that the contexts of all Koa applications share, as a class. Safe: it has these members, by which its types describe it. */
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
 * A context is made for each request, so that Koa's own request and response, which cost as much as the rest of the way, are
 * made when a middleware asks for one of them. What stands here as a field is read from the request once: to write to
 * `ctx.path` or `ctx.method` does not change which operation answers.
 */
export class Exchange extends KoaContext implements ObservedRequest {
  override readonly req: IncomingMessage
  override readonly res: ServerResponse
  override readonly originalUrl: string
  override readonly method: string
  /** As it was sent, without the query. Empty where the target is malformed, which our server refuses before. */
  override readonly path: string
  /** Without its question mark. */
  override readonly querystring: string
  override state: Koa.DefaultState = {}
  /** False once a step of ours has answered, or is going to: Koa then does not. */
  override respond = true
  /** Monotonic clock. */
  readonly startedAtMillis = performance.now()
  readonly resource: Resource
  readonly route: Route | undefined
  requestId = ""
  /** The client's, once the credential was accepted. */
  apiKey: ApiKey | undefined = undefined
  traceId: string | undefined = undefined
  /** What the response carries beside its own headers, whatever it is. */
  responseHeaders: HeaderList = noHeaders
  bodyBytes = 0
  durationMillis = 0
  isAnswered = false
  /** Koa's own, once a middleware has asked for one of them. */
  stock: Stock | undefined = undefined

  /** Answers with a failure: of this request, whatever was thrown. */
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

  /** Adds headers to the response, whatever it will be. */
  addHeaders(more: HeaderList): void {
    this.responseHeaders = this.responseHeaders.length === 0 ? more : [...this.responseHeaders, ...more]
  }

  /** The API key of a request to an operation that needs one. */
  get caller(): ApiKey {
    if (this.apiKey === undefined) throw new Error(`${this.operation} needs a credential, and authentication did not run`)
    return this.apiKey
  }

  /** The part of the path that the client chose, decoded. */
  get parameter(): string {
    return this.resource.parameterIn(this.path)
  }

  get operation(): string {
    return this.route?.id ?? "other"
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

/** Does work for a request later, past the middleware, and answers its failure. */
export const attempt = (exchange: Exchange, work: Handler): void => {
  try {
    work(exchange)?.catch((thrown: unknown) => exchange.onerror(thrown))
  } catch (thrown) {
    exchange.onerror(thrown)
  }
}
