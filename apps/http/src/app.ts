/** The service over HTTP, from the first middleware to the last: a request's whole path. */
import Router from "@koa/router"
import {
  type CredentialRepository,
  type Cryptography,
  type Deployment,
  type MessageRepository,
  PetRepository,
  type Readiness,
} from "@petstore/core"
import { Context, type Runtime } from "effect"
import Koa from "koa"
import type { Logger } from "pino"
import { answerErrors, HttpError } from "./error-response.js"
import { accessLog } from "./middleware/access-log.js"
import { createAuthenticator, requireApiKey } from "./middleware/authenticate.js"
import { directRoutes } from "./middleware/direct-routes.js"
import { requestId } from "./middleware/request-id.js"
import { requireRoute } from "./middleware/require-route.js"
import { readyAnswers } from "./ready-answers.js"
import { health, readiness } from "./routes/health.js"
import { listOrders } from "./routes/orders.js"
import { petRoutes } from "./routes/pets.js"
import { runWith } from "./run.js"

/** What the use cases of the service need. */
export type Services = PetRepository | CredentialRepository | MessageRepository | Readiness | Cryptography

export interface AppOptions {
  readonly runtime: Runtime.Runtime<Services>
  readonly deployment: Deployment
  readonly bodyLimitBytes: number
  readonly logger: Logger
}

/** Bound of the pages that are kept ready, in bytes. */
const readyBytes = 32 * 1024 * 1024

/** Whether a path belongs to the API, where every request needs a key before anything else is judged. */
const isApi = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

export const createApp = ({ runtime, deployment, bodyLimitBytes, logger }: AppOptions): Koa => {
  const run = runWith(runtime)
  const authenticator = createAuthenticator(run, deployment)
  const { revision } = Context.get(runtime.context, PetRepository)
  const ready = readyAnswers(revision, readyBytes)

  const pets = petRoutes(run, ready, bodyLimitBytes)
  const router = new Router({ strict: true, sensitive: true })
  router.get("/healthz", health)
  router.get("/readyz", readiness(run))
  router.get("/v1/pets", pets.listPets)
  router.post("/v1/pets", pets.createPet)
  router.get("/v1/pets/:petId", (ctx) => pets.getPet(ctx, ctx.params["petId"] ?? ""))
  router.get("/v1/store/orders", listOrders)

  const authenticate = requireApiKey(authenticator)

  const app = new Koa()
  if (logger.isLevelEnabled("info")) app.use(accessLog(logger))
  app.use(directRoutes(authenticator, pets))
  app.use(requestId)
  app.use(answerErrors)
  app.use((ctx, next) => (isApi(ctx.path) ? authenticate(ctx, next) : next()))
  app.use(requireRoute(router))
  app.use(router.routes())
  app.on("error", (error, ctx) => {
    const cause = error instanceof HttpError ? error.cause : error
    logger.error({ requestId: ctx?.state["requestId"], err: cause }, error.message)
  })
  return app
}
