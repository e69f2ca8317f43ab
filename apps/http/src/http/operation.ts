/** The type of a service operation, which is one row of the table in `operations.ts`. */
import type { Cryptography, PetRevision } from "@petstore/core"
import type { basePath, Deprecation, Description, OpenApiDocument, OperationName, ServerEntry } from "@petstore/core/contract"
import type { Repositories } from "@petstore/storage"
import type { Option } from "effect"
import type { Config } from "../config.js"
import type { Handler } from "./exchange.js"
import type { EndOfTick } from "./response/end-of-tick.js"
import type { Run } from "./run.js"
import type { Waiting } from "./waiting.js"

/** The dependencies of the service's use cases. */
export type Services = Repositories | Cryptography

/** The dependencies of handlers. */
export interface Parts extends EndOfTick, Pick<Config, "deployment" | "bodyLimitBytes" | "tlsInFront"> {
  readonly run: Run<Services>
  readonly revision: () => Option.Option<PetRevision>
  readonly document: OpenApiDocument
  readonly servers: ReadonlyArray<ServerEntry>
  /** What a proxy puts in front of every path (`/api`), or `""`. Requests may arrive with or without it, and responses carry it. */
  readonly pathPrefix: string
  /** The requests that wait for changes. */
  readonly waiting: Waiting
  /** Whether the process is stopping and should get no more requests. */
  readonly isStopping: () => boolean
}

/** The facts that a handler needs about its operation. */
export interface Served extends Pick<Description, "status" | "parameters"> {
  /** Includes the base address: `/v1/pets`. */
  readonly path: string
}

interface AnyOperation {
  /** The operation's name in logs, metrics, traces and the contract. */
  readonly id: string
  /** GET includes HEAD, and every path has OPTIONS. */
  readonly method: Description["method"]
  readonly deprecation?: Deprecation
  readonly handler: (parts: Parts) => Handler
}

/** An API operation: it is under the base address, needs a key, and is described in the contract. */
export interface ApiOperation extends AnyOperation {
  readonly id: OperationName
  readonly path: `${typeof basePath}${string}`
  readonly credential: true
}

/** An operation outside the base address, which needs no key. */
interface OpenOperation extends AnyOperation {
  readonly path: `/${string}`
  readonly credential: false
}

export type Operation = ApiOperation | OpenOperation
