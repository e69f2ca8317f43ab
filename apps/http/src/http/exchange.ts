/** A request and its response: Koa's context, with what the service knows of the request. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ApiKey } from "@petstore/core"
import Koa from "koa"
import type { ObservedRequest } from "../telemetry/request-observer.js"
import { decodeTarget } from "./request/target.js"

/** Headers as `writeHead` takes them fastest: names and values in turn. */
export type HeaderList = ReadonlyArray<string>

/** Responds to a checked request. Synchronous until it has to wait; what it throws becomes a failure response. */
export type Handler = (exchange: Exchange) => void | Promise<void>

/** An operation, bound to what its handler needs. */
export interface Route {
  readonly id: string
  readonly isDeprecated: boolean
  /** Headers of every response of the operation itself. */
  readonly headers: HeaderList
  readonly handler: Handler
}

/** What is served at a path. */
export interface Resource {
  /** Whether requests need an API key, also for 404 and 405. */
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

/** The prototype that the contexts of all Koa applications share, as a class. Safe: it has the members that its types declare. */
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
 * Each request has one. Koa's own request and response cost as much as all other steps, so they are created only when a
 * middleware uses them. The fields are read from the request once: assigning `ctx.path` or `ctx.method` does not change the
 * operation.
 */
export class Exchange extends KoaContext implements ObservedRequest {
  override readonly req: IncomingMessage
  override readonly res: ServerResponse
  override readonly originalUrl: string
  override readonly method: string
  /** As sent, without the query. Empty if the target is malformed, which our server refuses earlier. */
  override readonly path: string
  /** Without its question mark. */
  override readonly querystring: string
  override state: Koa.DefaultState = {}
  /** False once one of our steps responds, so that Koa does not. */
  override respond = true
  /** Monotonic clock. */
  readonly startedAtMillis = performance.now()
  readonly resource: Resource
  readonly route: Route | undefined
  requestId = ""
  /** The client's account, once the credential was accepted. */
  apiKey: ApiKey | undefined = undefined
  traceId: string | undefined = undefined
  /** Headers of the response besides those of its handler. */
  responseHeaders: HeaderList = noHeaders
  bodyBytes = 0
  durationMillis = 0
  isAnswered = false
  /** Koa's own objects, once a middleware has used one. */
  stock: Stock | undefined = undefined

  /** Responds with a failure, for any thrown value. */
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

  /** Adds headers to the response, also to a failure. */
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

/** Runs deferred work of a request outside the middleware, and responds to its failure. */
export const attempt = (exchange: Exchange, work: Handler): void => {
  try {
    work(exchange)?.catch((thrown: unknown) => exchange.onerror(thrown))
  } catch (thrown) {
    exchange.onerror(thrown)
  }
}
