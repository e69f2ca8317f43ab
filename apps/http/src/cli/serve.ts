/** `petstore serve`: the service, from opening the store to the last response. */
import type { ChildProcess } from "node:child_process"
import { CredentialRepository, type Cryptography, checkStoreDeployment, mintFirstApiKey } from "@petstore/core"
import { claimStoreDeployment } from "@petstore/core/internal"
import { isEphemeral, type Repositories } from "@petstore/storage"
import { Effect, Option, Schedule, Scope } from "effect"
import type { Config } from "../config.js"
import { hostInUrl, listen } from "../http/listen.js"
import { rateLimiterHere } from "../http/steps/rate-limit.js"
import { handOver } from "../process/handover.js"
import { askWorkers, findUnreadinessOf } from "../process/measure.js"
import { serveMetrics } from "../process/metrics-server.js"
import { type Supervision, SupervisionFailed, supervise } from "../process/primary.js"
import { refuseVolatile, usableKeys } from "../process/safety.js"
import { createService, stopping } from "../process/service.js"
import { countFor } from "../process/shared-rate.js"
import { onStopSignals } from "../process/signals.js"
import { listenToPrimary, type OnCommand, reportFailure, serveAsWorker } from "../process/worker.js"
import { say } from "../telemetry/log-line.js"
import { createLogger } from "../telemetry/logger.js"
import { metricsText, startMetrics } from "../telemetry/metrics.js"
import { startTelemetry, type Telemetry } from "../telemetry/telemetry.js"
import { type Access, announcement } from "./announce.js"
import { checkStore, refuseUnsafeKeys, refuseUnsafeSettings } from "./check.js"
import { CommandFailed, type Failure, isUnavailable, provideServices, runCommand, textOf, withConfig } from "./program.js"
import { storeLine } from "./store.js"

/** Runs once, before any process serves. */
const prepare = (config: Config) =>
  Effect.gen(function* () {
    // Assigns the store to a deployment only if the settings name one.
    yield* claimStoreDeployment(config.namedDeployment)
    yield* checkStoreDeployment(Option.some(config.deployment))
    yield* refuseUnsafeKeys(config)
  })

/** The first key is created only after the service listens. Otherwise a failed start could create a key and never show it. */
const findAccess = ({ deployment }: Config) =>
  Effect.gen(function* () {
    if (deployment !== "development") return (yield* usableKeys(deployment)).length > 0 ? undefined : ("no key" as const)
    const secret = yield* mintFirstApiKey
    if (Option.isSome(secret)) return { secret: secret.value }
    const [account] = yield* (yield* CredentialRepository).listAccounts
    return account && { accountName: account.name }
  }) satisfies Effect.Effect<Access | undefined, Failure, Repositories | Cryptography>

const telemetryOf = (config: Config) => Effect.promise(() => startTelemetry(config))

/** In development, closing the terminal stops the service. Elsewhere SIGHUP replaces workers, so operators do not expect an exit. */
const ignoreHangUp = ({ deployment }: Config, { logger }: Telemetry): void => {
  if (deployment === "development") return
  process.on("SIGHUP", () => logger.warn("SIGHUP replaces workers, but WORKERS is 1: the signal was ignored"))
}

/** `serve` creates a missing store, unless `MIGRATE` is off. */
const openingOf = ({ migrate, database }: Config) => ({
  mustExist: !migrate && !isEphemeral(database),
  onOpened: (isNew: boolean) => say(process.stderr, "info", storeLine(database, isNew)),
})

/** The pauses between attempts to open a store that is unavailable: they double from the first value to the last. */
const retries = Schedule.exponential("250 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")), Schedule.jittered)

/**
 * Serves a store until a stop signal. While the store is unavailable, the service listens, responds with 503 and tries again to
 * open it. Otherwise it listens only once the store is open.
 */
const serveAlone = (config: Config) =>
  Effect.scoped(
    Effect.gen(function* () {
      const telemetry = yield* telemetryOf(config)
      const service = createService(config, telemetry, rateLimiterHere)
      const stop = Promise.withResolvers<void>()
      const replaced = Promise.withResolvers<void>()
      const listening = yield* Effect.cached(
        Effect.gen(function* () {
          const metricsPort = yield* serveMetrics(config, {
            metrics: async () => metricsText([{ worker: undefined, snapshot: (await telemetry.metrics?.snapshot()) ?? [] }]),
            findUnreadiness: service.findUnreadiness,
          })
          const address = yield* listen(service.server, config.host, config.port, "PORT or HOST")
          ignoreHangUp(config, telemetry)
          onStopSignals(stop.resolve, () => process.exit(1))
          return { address, metricsPort }
        }).pipe(Scope.extend(yield* Effect.scope)),
      )
      const serveStore = Effect.gen(function* () {
        yield* prepare(config)
        yield* service.serveStore
        const { address, metricsPort } = yield* listening
        process.stdout.write(announcement(config, address, metricsPort, yield* findAccess(config)))
        yield* Effect.never
      })
      let reported: string | undefined
      const serveWithoutStore = (failure: Failure) =>
        Effect.gen(function* () {
          if (!isUnavailable(failure)) return
          yield* service.serveWithoutStore(failure.cause)
          const { address, port } = (yield* listening).address
          const reason = textOf(failure)
          if (reason !== reported) {
            const waits = `${reason} Requests to http://${hostInUrl(address)}:${port}/v1 get 503 until a further attempt succeeds.`
            say(process.stderr, "warn", waits)
          }
          reported = reason
        })
      const onVolatile = refuseVolatile(config, (reason) => telemetry.logger.warn(reason))
      // Requests get 503 even before the store is closed, which can take seconds.
      const opened = Effect.scoped(serveStore).pipe(Effect.tapErrorTag("StorageUnavailable", serveWithoutStore))
      const opening = {
        ...openingOf(config),
        serving: telemetry,
        onVolatile,
        serviceLockMillis: config.shutdownMillis,
        onReplaced: replaced.resolve,
        onWarning: (sentence: string) => say(process.stderr, "warn", sentence),
      }
      const serving = provideServices(config, opened, opening).pipe(
        Effect.tapErrorTag("StorageNotOpened", serveWithoutStore),
        Effect.retry({ schedule: retries, while: isUnavailable }),
      )
      const drain = Effect.promise(() => service.connections.drain(stopping(config)))
      const stopped = Effect.zipRight(
        Effect.promise(() => stop.promise),
        drain,
      )
      // The exit code makes a supervisor start the service again, with the new file.
      const failed = Effect.promise(() => replaced.promise).pipe(
        Effect.zipRight(drain),
        Effect.zipRight(new CommandFailed({ reason: "The store's file was replaced. The next start serves the new one." })),
      )
      yield* Effect.raceFirst(serving, Effect.raceFirst(stopped, failed)).pipe(Effect.ensuring(drain))
    }),
  )

const servePrimary = (config: Config) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { workers, shutdownMillis, rateLimit, adminPort, host, port, connectionLimit } = config
      const { logger } = createLogger(config)
      const onVolatile = refuseVolatile(config, (reason) => logger.warn(reason))
      yield* provideServices(config, prepare(config), { ...openingOf(config), onVolatile })
      const metrics = Option.isSome(adminPort) ? yield* Effect.promise(startMetrics) : undefined
      const limiter = rateLimit > 0 ? rateLimiterHere(rateLimit) : undefined
      let supervision: Supervision | undefined
      const measure = async () => {
        const own = { worker: "primary", snapshot: (await metrics?.primarySnapshot()) ?? [] }
        return metricsText([own, ...(supervision === undefined ? [] : await askWorkers(supervision))])
      }
      const metricsPort = yield* serveMetrics(config, {
        metrics: measure,
        findUnreadiness: () => findUnreadinessOf(supervision),
      })
      const connections = handOver(connectionLimit, () => metrics?.observeClosing("connection_limit", []))
      const address = yield* listen(connections.server, host, port, "PORT or HOST")
      const access = yield* Effect.onError(provideServices(config, findAccess(config)), () => Effect.sync(connections.close))
      const onStart = (worker: ChildProcess) => limiter && countFor(worker, limiter)
      const onReady = () => process.stdout.write(announcement(config, address, metricsPort, access))
      const running = supervise({ workers, shutdownMillis, logger, connections, onStart, onReady })
      supervision = running
      const failure = yield* Effect.promise(() => running.ended)
      if (failure instanceof SupervisionFailed) yield* new CommandFailed({ reason: failure.message })
      if (failure !== undefined) yield* Effect.die(failure)
    }),
  )

const serveWorker = (onCommand: OnCommand) =>
  withConfig(function* (config) {
    const telemetry = yield* telemetryOf(config)
    yield* provideServices(config, Effect.scoped(serveAsWorker(onCommand, config, telemetry)), { serving: telemetry })
  })

/** Runs a worker, which only the primary starts. */
export const work = async (): Promise<void> => {
  if (process.send === undefined) {
    process.stderr.write("petstore: only petstore serve starts workers. Set WORKERS.\n")
    process.exitCode = 2
    return
  }
  await runCommand(serveWorker(listenToPrimary()), reportFailure)
  // Otherwise, the connection to the primary would keep the process running.
  if (process.connected) process.disconnect?.()
}

export const serve = async ({ check }: { readonly check?: true }): Promise<void> => {
  const program = withConfig(function* (config) {
    yield* refuseUnsafeSettings(config)
    yield* (check === true ? checkStore : config.workers > 1 ? servePrimary : serveAlone)(config)
  })
  await runCommand(program, async (reason) => say(process.stderr, "fatal", reason))
}
