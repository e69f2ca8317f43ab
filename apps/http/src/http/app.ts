/** The service over HTTP: a Koa application, and the middleware that every request passes through. */
import type { RequestListener } from "node:http"
import { ChangeRepository, PetFreshness } from "@petstore/core"
import { operations as described } from "@petstore/core/contract"
import { Context, Effect, Option, type Runtime } from "effect"
import type { Middleware } from "koa"
import type { Logger } from "pino"
import type { Config } from "../config.js"
import { openApiDocument } from "../openapi/document.js"
import type { CountDeprecatedCall } from "../telemetry/deprecated-calls.js"
import type { RequestObserver } from "../telemetry/request-observer.js"
import type { Parts, Services } from "./operation.js"
import { operations } from "./operations.js"
import { endOfTick } from "./response/end-of-tick.js"
import { findResourceIn } from "./routes.js"
import { type Run, runWith } from "./run.js"
import { ServiceKoa, type Step } from "./service-koa.js"
import { admit, reserveResponse } from "./steps/admit.js"
import { authenticate, createAuthenticator, namingKeyPageUnder } from "./steps/authenticate.js"
import { cors } from "./steps/cors.js"
import { handle } from "./steps/handle.js"
import { identify } from "./steps/identify.js"
import { observe } from "./steps/observe.js"
import { limitRate, type RateLimiter } from "./steps/rate-limit.js"
import { requireRoute } from "./steps/require-route.js"
import { requireScope } from "./steps/require-scope.js"
import { createWaiting } from "./waiting.js"

interface AppOptions
  extends Pick<Config, "deployment" | "storePage" | "waitingLimit" | "corsOrigins">,
    Pick<Parts, "servers" | "pathPrefix" | "bodyLimitBytes" | "tlsInFront" | "isStopping"> {
  readonly runtime: Runtime.Runtime<Services>
  /** Wraps every request, so that its trace context reaches the store. */
  readonly tracing: Step | undefined
  readonly observers: ReadonlyArray<RequestObserver>
  /** Third-party middleware. Decision 0011 says what it may do. */
  readonly middleware: ReadonlyArray<Middleware>
  /** Counts each key's requests, if they are limited. */
  readonly rateLimiter: RateLimiter | undefined
  readonly countDeprecatedCall: CountDeprecatedCall
  readonly logger: Logger
}

/** The freshness for a store that does not report whether its pets have changed: the page cache stays empty. */
const unknownFreshness = PetFreshness.of({ revision: Option.none, together: (work) => work() })

export interface App {
  readonly listener: RequestListener
  readonly run: Run<Services>
  /** Answers the requests that wait for changes, because the process stops. */
  readonly endWaiting: () => void
}

/** Builds the chain of checks in their specified order (specification, section 10). Disabled steps are left out. */
export const createApp = (options: AppOptions): App => {
  const { runtime, deployment, servers, pathPrefix, tracing, observers, corsOrigins, middleware, rateLimiter } = options
  const run = runWith(runtime)
  const { revision, together } = Option.getOrElse(Context.getOption(runtime.context, PetFreshness), () => unknownFreshness)
  const atEndOfTick = endOfTick(together, reserveResponse)
  const found = createAuthenticator(run, deployment)
  const authenticator = pathPrefix === "" ? found : namingKeyPageUnder(pathPrefix, found)
  const latest = Effect.flatMap(ChangeRepository, (changes) => changes.latest)
  const waiting = createWaiting({ ...options, ...atEndOfTick, authenticator, latest: () => run(latest) })
  const findResource = findResourceIn(options.storePage ? operations : operations.filter(({ id }) => id !== "store"), {
    ...options,
    run,
    ...atEndOfTick,
    revision,
    waiting,
    document: openApiDocument(described, servers),
  })
  const koa = new ServiceKoa(findResource, options.logger, atEndOfTick.sendLater)
  if (tracing !== undefined) koa.use(tracing)
  koa.use(identify)
  if (observers.length > 0) koa.use(observe(observers))
  if (corsOrigins.length > 0) koa.use(cors(corsOrigins))
  for (const one of middleware) koa.use(one)
  koa.use(authenticate(authenticator))
  if (rateLimiter !== undefined) koa.use(limitRate(rateLimiter))
  koa.use(requireRoute)
  koa.use(requireScope)
  koa.use(admit(options.bodyLimitBytes))
  koa.use(handle(options.countDeprecatedCall, waiting))
  return { listener: koa.callback(), run, endWaiting: waiting.endAll }
}
