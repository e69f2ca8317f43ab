/** The service over HTTP: the pipeline of every request, and Koa around it where something of Koa is asked for. */
import type { RequestListener } from "node:http"
import { PetRepository } from "@petstore/core"
import { Context, type Runtime } from "effect"
import Koa, { type Middleware } from "koa"
import type { Logger } from "pino"
import type { Config } from "../config.js"
import { openApiDocument } from "../openapi/document.js"
import { attempts } from "./error-response.js"
import { Exchange } from "./exchange.js"
import type { Parts, Services } from "./operation.js"
import { operations } from "./operations.js"
import { createPipeline, type PipelineOptions } from "./pipeline.js"
import { turnEnd } from "./response/turn-end.js"
import { findResourceIn } from "./routes.js"
import { runWith } from "./run.js"
import { createAuthenticator } from "./steps/authenticate.js"
import { identify } from "./steps/identify.js"

export interface AppOptions
  extends Pick<Config, "deployment" | "storePage">,
    Pick<Parts, "servers" | "bodyLimitBytes" | "tlsInFront" | "isStopping">,
    Pick<PipelineOptions, "corsOrigins" | "rateLimiter" | "countDeprecatedCall" | "observers"> {
  readonly runtime: Runtime.Runtime<Services>
  readonly logger: Logger
  /** Middleware of Koa in front of the pipeline. It finds the request as `ctx.state.exchange`. */
  readonly middleware: ReadonlyArray<Middleware>
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
