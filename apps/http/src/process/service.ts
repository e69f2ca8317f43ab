/** A serving process: an HTTP server for the use cases, with or without its store, and its shutdown. */
import { createBoundedServer, type DrainOptions } from "@petstore/bounded-http"
import { type Cryptography, InventoryRepository } from "@petstore/core"
import { nodeCryptography, type Repositories } from "@petstore/storage"
import { Effect, Layer, Option, Runtime } from "effect"
import type { Config } from "../config.js"
import { type App, createApp } from "../http/app.js"
import { httpError } from "../http/error-response.js"
import { findUnreadiness } from "../http/handlers/health.js"
import { refuseWith } from "../http/refusal.js"
import { originHeaders } from "../http/steps/cors.js"
import { rateLimiterOf } from "../http/steps/rate-limit.js"
import { isInOneOf } from "../networks.js"
import { pathPrefixOf, serversOf } from "../openapi/servers.js"
import { type CountDeprecatedCall, deprecatedCallCounter } from "../telemetry/deprecated-calls.js"
import { unavailableStore } from "../telemetry/store-calls.js"
import type { Telemetry } from "../telemetry/telemetry.js"
import { deliverWebhooks } from "../webhooks/deliverer.js"
import { newestBackupSeconds } from "./backups.js"
import { countExpiringKeys } from "./ending-keys.js"
import { watchFileDescriptors } from "./file-descriptors.js"
import { lightenEffects } from "./light-effects.js"
import { removeOldChanges } from "./old-changes.js"
import { bytesOfStore } from "./store-bytes.js"

/** How long a connection may stay silent while the whole service is stopping, in ms: a request may be on its way. */
const silenceMillis = 1_000

/** How long before the deadline to close the store, in ms. On a busy machine, closing it and exiting take up to 1.2 s. */
const closingMillis = 1_500

/** How the service stops: promptly, with time left to close the store before the shutdown deadline. */
export const stopping = ({ shutdownMillis }: Pick<Config, "shutdownMillis">): DrainOptions => {
  const deadlineMillis = Math.max(shutdownMillis - closingMillis, shutdownMillis / 2)
  return { idleMillis: Math.min(silenceMillis, deadlineMillis), deadlineMillis }
}

const notYet = httpError("storage_unavailable", "The service is starting.")

/** Creates a server for the use cases. It may listen once it serves with a store, or responds without one. */
export const createService = (config: Config, telemetry: Telemetry) => {
  const { logger, metrics, requests: observers, tracing } = telemetry
  const folder = Option.getOrUndefined(config.backupFolder)
  if (folder !== undefined) metrics?.backups(folder, () => newestBackupSeconds(folder, config.database))
  lightenEffects()
  watchFileDescriptors(logger)
  const rateLimiter = config.rateLimit === 0 ? undefined : rateLimiterOf(config.rateLimit)
  const isStopping = (): boolean => server.isDraining()
  let app: App | undefined

  const serve = (runtime: Runtime.Runtime<Repositories | Cryptography>, countDeprecatedCall: CountDeprecatedCall): void => {
    app = createApp({
      ...config,
      runtime,
      countDeprecatedCall,
      logger,
      observers,
      tracing,
      rateLimiter,
      isStopping,
      middleware: [],
      servers: serversOf(config),
      pathPrefix: pathPrefixOf(config),
    })
  }

  const server = createBoundedServer((request, response) => app?.listener(request, response), {
    limits: { ...config, budgetBytes: config.processBudgetBytes },
    alwaysServe: ["/healthz", "/readyz"],
    isLean: true,
    reserves: true,
    ...(config.proxyNetworks.length > 0 && { isProxy: isInOneOf(config.proxyNetworks) }),
    refuse: refuseWith(observers, originHeaders(config.corsOrigins)),
    observe: metrics?.observeClosing ?? (() => {}),
  })
  return {
    server,
    /** Finishes what was begun, accepts nothing more, and answers the requests that wait for changes. */
    drain: (): Promise<void> => {
      const drained = server.drain(stopping(config))
      app?.endWaiting()
      return drained
    },
    /** Returns why the process should get no requests, or `undefined` if it is ready for them. */
    findUnreadiness: async () => (app === undefined ? notYet : findUnreadiness({ run: app.run, isStopping })),
    /** From now on, requests use the store, which remains open as long as the scope. */
    serveStore: Effect.gen(function* () {
      const runtime = yield* Effect.runtime<Repositories | Cryptography>()
      const inventory = yield* InventoryRepository
      metrics?.inventory(() => Runtime.runPromise(runtime)(inventory.read))
      metrics?.expiringKeys(config.deployment, () => Runtime.runPromise(runtime)(countExpiringKeys(config.deployment)))
      metrics?.storeBytes(async () => bytesOfStore(config.database)[0])
      serve(runtime, yield* deprecatedCallCounter)
      yield* removeOldChanges(config.historyDays)
      yield* deliverWebhooks({
        rules: config,
        isAlone: config.database.adapter !== "postgres",
        log: (sentence) => logger.warn(sentence),
        count: (outcome) => metrics?.delivery(outcome),
        onWebhooks: (all) => metrics?.webhooks(all),
      })
    }),
    /** From now on, requests that need the store get 503, and so does `/readyz`. */
    serveWithoutStore: (cause: unknown): Effect.Effect<void> =>
      Effect.runtime<Repositories | Cryptography>().pipe(
        Effect.map((runtime) => serve(runtime, () => {})),
        Effect.provide(Layer.merge(unavailableStore(cause), nodeCryptography)),
      ),
  }
}
