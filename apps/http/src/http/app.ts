/** The service over HTTP: the pipeline of every request, and Koa around it where something of Koa is asked for. */
import type { RequestListener } from "node:http"
import { type Deployment, PetRepository } from "@petstore/core"
import type { ServerEntry } from "@petstore/docs/contract"
import { Context, type Runtime } from "effect"
import Koa, { type Middleware } from "koa"
import type { Logger } from "pino"
import { openApiDocument } from "../openapi/document.js"
import type { CountDeprecatedCall } from "../telemetry/deprecated-calls.js"
import type { RequestObserver } from "../telemetry/request-observer.js"
import { attempts } from "./error-response.js"
import { Exchange } from "./exchange.js"
import type { Services } from "./operation.js"
import { operations } from "./operations.js"
import { createPipeline } from "./pipeline.js"
import { turnEnd } from "./response/turn-end.js"
import { findResourceIn } from "./routes.js"
import { runWith } from "./run.js"
import { createAuthenticator } from "./steps/authenticate.js"
import { identify } from "./steps/identify.js"
import type { RateLimiter } from "./steps/rate-limit.js"

export interface AppOptions {
  readonly runtime: Runtime.Runtime<Services>
  readonly deployment: Deployment
  /** Whether the page for the people of the store is served. */
  readonly storePage: boolean
  /** The addresses that the contract lists. */
  readonly servers: ReadonlyArray<ServerEntry>
  readonly bodyLimitBytes: number
  readonly corsOrigins: ReadonlyArray<string>
  /** Whether callers come through TLS, which something in front of the service ends. */
  readonly tlsInFront: boolean
  /** Where the requests of each key are counted, if they are limited. */
  readonly rateLimiter: RateLimiter | undefined
  readonly countDeprecatedCall: CountDeprecatedCall
  readonly logger: Logger
  /** Whoever watches requests. */
  readonly observers: ReadonlyArray<RequestObserver>
  /** Middleware of Koa in front of the pipeline. It finds the request as `ctx.state.exchange`. */
  readonly middleware: ReadonlyArray<Middleware>
  /** Whether the process is stopping and should get no more requests. */
  readonly isStopping: () => boolean
}

/** The application, and the listener of a server, which leads every request through it. */
export interface App {
  readonly koa: Koa
  readonly listener: RequestListener
}

export const createApp = (options: AppOptions): App => {
  const { runtime, deployment, servers, logger, middleware } = options
  const run = runWith(runtime)
  const attempt = attempts(logger)
  const { revision, together = (work: () => void) => work() } = Context.get(runtime.context, PetRepository)
  const findResource = findResourceIn(options.storePage ? operations : operations.filter(({ id }) => id !== "store"), {
    ...options,
    run,
    attempt,
    ...turnEnd(attempt, together),
    revision,
    document: openApiDocument(operations, servers),
  })
  const pipeline = createPipeline({ ...options, attempt, authenticator: createAuthenticator(run, deployment) })

  const koa = new Koa()
  koa.use(async (ctx, next) => {
    const exchange = new Exchange(ctx.req, ctx.res, findResource)
    // The pipeline answers by itself: Koa keeps its hands off.
    ctx.respond = false
    ctx.state["exchange"] = exchange
    try {
      await next()
    } catch (thrown) {
      // A middleware broke before the pipeline had its turn.
      if (exchange.requestId === "") identify(exchange)
      attempt(exchange, () => {
        throw thrown
      })
    }
  })
  for (const one of middleware) koa.use(one)
  koa.use((ctx) => pipeline(ctx.state["exchange"]))
  // What comes here is a connection that broke: the log has a line for the request anyway.
  koa.on("error", (err: Error) => logger.debug({ err }, err.message))
  return {
    koa,
    listener: middleware.length > 0 ? koa.callback() : (req, res) => pipeline(new Exchange(req, res, findResource)),
  }
}
