/** A serving process: an HTTP server for the use cases, and its shutdown. */
import { InventoryRepository } from "@petstore/core"
import { Effect, Runtime } from "effect"
import type { Config } from "../config.js"
import { createApp } from "../http/app.js"
import type { DrainOptions } from "../http/connections.js"
import { findUnreadiness } from "../http/handlers/health.js"
import { Memory } from "../http/memory.js"
import type { Services } from "../http/operation.js"
import { runWith } from "../http/run.js"
import { createHttpServer } from "../http/server.js"
import { originHeaders } from "../http/steps/cors.js"
import type { RateLimiter } from "../http/steps/rate-limit.js"
import { serversOf } from "../openapi/servers.js"
import { deprecatedCallCounter } from "../telemetry/deprecated-calls.js"
import type { Telemetry } from "../telemetry/telemetry.js"
import { lightenEffects } from "./light-effects.js"

/** How long a connection may stay silent while the whole service is stopping, in ms: a request may be on its way. */
const silenceMillis = 1_000

/** How long before the deadline to close the store, in ms. On a busy machine, closing it and exiting take up to 1.2 s. */
const closingMillis = 1_500

/**
 * How the service stops: promptly, with time left to close the store before the shutdown deadline.
 *
 * @param lateMillis  how long ago the service was told to stop, in ms
 */
export const stopping = ({ shutdownMillis }: Pick<Config, "shutdownMillis">, lateMillis = 0): DrainOptions => {
  const deadlineMillis = Math.max(Math.max(shutdownMillis - closingMillis, shutdownMillis / 2) - lateMillis, 0)
  return { idleMillis: Math.min(silenceMillis, deadlineMillis), deadlineMillis }
}

/** How a replaced worker stops: its connections keep their idle time, because nothing waits for the worker. */
export const replaced = ({ shutdownMillis, keepAliveMillis }: Config): DrainOptions => ({
  idleMillis: Math.min(keepAliveMillis, shutdownMillis),
  deadlineMillis: shutdownMillis,
})

/** Creates a server for the use cases, which does not listen yet. */
export const createService = (config: Config, telemetry: Telemetry, limiterOf: (points: number) => RateLimiter) =>
  Effect.gen(function* () {
    const { logger, metrics, requests: observers, tracing } = telemetry
    lightenEffects()
    const runtime = yield* Effect.runtime<Services>()
    const countDeprecatedCall = yield* deprecatedCallCounter
    const inventory = yield* InventoryRepository
    metrics?.inventory(() => Runtime.runPromise(runtime)(inventory.read))
    const memory = new Memory(config.processBudgetBytes)
    const isStopping = (): boolean => service.connections.isDraining()
    const listener = createApp({
      ...config,
      ...{ runtime, countDeprecatedCall, logger, observers, tracing, memory },
      middleware: [],
      servers: serversOf(config.deployment, config),
      rateLimiter: config.rateLimit === 0 ? undefined : limiterOf(config.rateLimit),
      isStopping,
    })
    const service = createHttpServer(listener, {
      ...config,
      ...{ memory, observers },
      originHeaders: originHeaders(config.corsOrigins),
      observeClosing: metrics?.observeClosing ?? (() => {}),
    })
    return {
      ...service,
      /** Returns why the process should get no requests, or `undefined` if it is ready for them. */
      findUnreadiness: () => findUnreadiness({ run: runWith(runtime), isStopping }),
    }
  })
