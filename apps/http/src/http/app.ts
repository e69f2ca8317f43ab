/** The service over HTTP, from the first middleware to the last: a request's whole path. */
import type { RequestListener } from "node:http"
import Router from "@koa/router"
import {
  type CredentialRepository,
  type Cryptography,
  type Deployment,
  type DeprecatedCallRepository,
  type OrderRepository,
  PetRepository,
  type Readiness,
} from "@petstore/core"
import type { ServerEntry } from "@petstore/docs/contract"
import { Context, Option, type Runtime } from "effect"
import Koa, { type Middleware } from "koa"
import type { Logger } from "pino"
import { openApiDocument } from "../openapi/document.js"
import type { CountDeprecatedCall } from "../telemetry/deprecated-calls.js"
import { answerErrors, answerFailures } from "./error-response.js"
import { contract } from "./handlers/contract.js"
import { docsRoutes } from "./handlers/docs.js"
import { health, readiness } from "./handlers/health.js"
import { orderRoutes } from "./handlers/orders.js"
import { petRoutes } from "./handlers/pets.js"
import { readyAnswers } from "./response/ready-answers.js"
import { runWith } from "./run.js"
import { createAuthenticator, requireApiKey } from "./steps/authenticate.js"
import { cors } from "./steps/cors.js"
import { type DirectRoutes, directRoutes, goDirectly } from "./steps/direct-routes.js"
import { limitRate, type RateLimiter } from "./steps/rate-limit.js"
import { requestId } from "./steps/request-id.js"
import { allowedMethods, requireRoute } from "./steps/require-route.js"

/** What the use cases of the service need. */
export type Services =
  | PetRepository
  | OrderRepository
  | CredentialRepository
  | DeprecatedCallRepository
  | Readiness
  | Cryptography

export interface AppOptions {
  readonly runtime: Runtime.Runtime<Services>
  readonly deployment: Deployment
  /** The addresses that the contract lists. */
  readonly servers: ReadonlyArray<ServerEntry>
  readonly bodyLimitBytes: number
  readonly corsOrigins: ReadonlyArray<string>
  /** Where the requests of each key are counted, if they are limited. */
  readonly rateLimiter: Option.Option<RateLimiter>
  readonly countDeprecatedCall: CountDeprecatedCall
  readonly logger: Logger
  /** Whoever watches requests, before everything else. */
  readonly observers: ReadonlyArray<Middleware>
  /** Whether the process is stopping and should get no more requests. */
  readonly isStopping: () => boolean
}

/** Bound of the pages that are kept ready, in bytes. */
const readyBytes = 32 * 1024 * 1024

/** Makes a middleware judge the requests of the API only, whether their path is served or not. */
const underApi =
  (middleware: Middleware): Middleware =>
  (ctx, next) =>
    ctx.path === "/v1" || ctx.path.startsWith("/v1/") ? middleware(ctx, next) : next()

/** The application, and the listener that leads every request to it or past it. */
export interface App {
  readonly koa: Koa
  readonly listener: RequestListener
}

export const createApp = (options: AppOptions): App => {
  const {
    runtime,
    deployment,
    servers,
    bodyLimitBytes,
    corsOrigins,
    rateLimiter,
    countDeprecatedCall,
    logger,
    observers,
    isStopping,
  } = options
  const run = runWith(runtime)
  const authenticator = createAuthenticator(run, deployment)
  const { revision } = Context.get(runtime.context, PetRepository)
  const ready = readyAnswers(revision, readyBytes)

  const pets = petRoutes(run, ready, bodyLimitBytes, countDeprecatedCall)
  const orders = orderRoutes(run, bodyLimitBytes)
  const router = new Router({ strict: true, sensitive: true })
  router.get("/healthz", health)
  router.get("/readyz", readiness(run, isStopping))
  router.get("/openapi.json", contract(openApiDocument(servers)))
  docsRoutes(router, { deployment, servers })
  router.get("/v1/pets", pets.listPets)
  router.post("/v1/pets", pets.createPet)
  router.get("/v1/pets/:petId", (ctx) => pets.getPet(ctx, ctx.params["petId"] ?? ""))
  router.get("/v1/store/orders", orders.list)
  router.post("/v1/store/orders", orders.create)
  router.get("/v1/store/orders/:orderId", (ctx) => orders.get(ctx, ctx.params["orderId"] ?? ""))
  for (const closing of ["complete", "cancel"] as const) {
    router.post(`/v1/store/orders/:orderId/${closing}`, (ctx) => orders.close(ctx, ctx.params["orderId"] ?? "", closing))
  }

  const answerFailure = answerFailures(logger)
  const direct: DirectRoutes = Option.isSome(rateLimiter) ? () => false : directRoutes(authenticator, pets, answerFailure)
  // Whoever must see or mark every request stands before the way past Koa.
  const isWatched = observers.length > 0 || corsOrigins.length > 0

  const koa = new Koa()
  for (const observer of observers) koa.use(observer)
  koa.use(requestId)
  if (corsOrigins.length > 0) koa.use(cors(corsOrigins, allowedMethods(router)))
  if (isWatched) koa.use(goDirectly(direct))
  koa.use(answerErrors(answerFailure))
  koa.use(underApi(requireApiKey(authenticator)))
  if (Option.isSome(rateLimiter)) koa.use(underApi(limitRate(rateLimiter.value)))
  koa.use(requireRoute(router))
  koa.use(router.routes())
  koa.on("error", (error, ctx) => logger.error({ requestId: ctx?.state["requestId"], err: error }, error.message))
  const throughKoa = koa.callback()
  return { koa, listener: isWatched ? throughKoa : (req, res) => direct(req, res) || throughKoa(req, res) }
}
