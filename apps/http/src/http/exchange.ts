/** A request and its answer, on their way through the pipeline, and what is served where. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ApiKey } from "@petstore/core"
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
  /** What every answer of the operation itself carries. */
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
  /** The part of the path that the caller chose, decoded; `""` where the path is fixed. */
  readonly parameter: string
}

/** Finds what is served at a path. */
export type FindResource = (path: string) => Resource

const noHeaders: HeaderList = []

export class Exchange implements ObservedRequest {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly method: string
  /** As it was sent, without the query. Empty where the target is none, which our server refuses before. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** By the clock that nobody moves. */
  readonly startedAtMillis = performance.now()
  readonly resource: Resource
  readonly route: Route | undefined
  requestId = ""
  /** Whoever calls, once the credential was accepted. */
  apiKey: ApiKey | undefined = undefined
  traceId: string | undefined = undefined
  /** What the answer carries beside its own headers, whatever it is. */
  headers: HeaderList = noHeaders
  bodyBytes = 0
  durationMillis = 0
  isAnswered = false

  constructor(req: IncomingMessage, res: ServerResponse, findResource: FindResource) {
    const target = decodeTarget(req.url ?? "")
    this.req = req
    this.res = res
    this.method = req.method ?? ""
    this.path = target?.path ?? ""
    this.query = target?.query ?? ""
    this.resource = findResource(this.path)
    this.route = this.resource.routes.get(this.method)
  }

  /** Adds headers to the answer, whatever it will be. */
  addHeaders(more: HeaderList): void {
    this.headers = this.headers.length === 0 ? more : [...this.headers, ...more]
  }

  /** The API key of a request to an operation that needs one. */
  get caller(): ApiKey {
    if (this.apiKey === undefined) throw new Error(`${this.operation} needs a credential, and nobody asked for it`)
    return this.apiKey
  }

  get operation(): string {
    return this.route?.id ?? "other"
  }

  get isDeprecated(): boolean {
    return this.route?.isDeprecated === true
  }

  get status(): number {
    return this.res.statusCode
  }
}
