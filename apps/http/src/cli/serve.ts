/** `petstore serve`: the service, from opening the store to the last response. */
import cluster from "node:cluster"
import { CredentialRepository, type Cryptography, checkStoreDeployment, mintFirstApiKey } from "@petstore/core"
import { claimStoreDeployment } from "@petstore/core/internal"
import { isEphemeral, type Repositories } from "@petstore/storage"
import { Effect, Option, Schedule, Scope } from "effect"
import type { Config } from "../config.js"
import { listen, originOf } from "../http/listen.js"
import { takeInheritedSocket } from "../process/inherited-socket.js"
import { serveMetrics } from "../process/metrics-server.js"
import { refuseVolatile, usableKeys } from "../process/safety.js"
import { createService } from "../process/service.js"
import { killAfterMillis, onStopSignals } from "../process/signals.js"
import { type WorkerMessage, workersOf } from "../process/workers.js"
import { say } from "../telemetry/log-line.js"
import { createLogger } from "../telemetry/logger.js"
import { startTelemetry } from "../telemetry/telemetry.js"
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

/** `serve` creates a missing store, unless `MIGRATE` is off. */
const openingOf = ({ migrate, database }: Config) => ({
  mustExist: !migrate && !isEphemeral(database),
  onOpened: (isNew: boolean) => say(process.stderr, "info", storeLine(database, isNew)),
})

/** The pauses between attempts to open a store that is unavailable: they double from the first value to the last. */
const retries = Schedule.exponential("250 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")), Schedule.jittered)

/** Tells the primary, if this process is a worker. */
const tellPrimary = (message: WorkerMessage): void => void process.send?.(message)

/** A terminal sends its signals to every process of its group. A worker obeys only the primary, which sends SIGTERM. */
const onStop = (stop: () => void): void => {
  if (cluster.isWorker) process.removeAllListeners("SIGINT").on("SIGINT", () => {})
  if (cluster.isWorker) onStopSignals(stop, () => {}, ["SIGTERM"])
  else onStopSignals(stop, () => process.exit(1))
}

/**
 * Ends the process at the shutdown deadline. With a silent database, a connection attempt or the closing of the store can take
 * longer. What was acknowledged is stored.
 */
const endInTime = (config: Config): void => {
  const end = (): void => {
    say(
      process.stderr,
      "warn",
      "The store did not close within SHUTDOWN_MS. The process ends without closing it: no acknowledged write is lost.",
    )
    process.exit(0)
  }
  setTimeout(end, killAfterMillis(config.shutdownMillis)).unref()
}

/**
 * Serves a store until a stop signal. While the store is unavailable, the service listens, responds with 503 and tries again to
 * open it. Otherwise it listens only once the store is open.
 */
const serveAlone = (config: Config, socket: number | undefined) =>
  Effect.scoped(
    Effect.gen(function* () {
      const telemetry = yield* Effect.promise(() => startTelemetry(config))
      const service = createService(config, telemetry)
      const stop = Promise.withResolvers<void>()
      const replaced = Promise.withResolvers<void>()
      const listening = yield* Effect.cached(
        Effect.gen(function* () {
          const { metrics } = telemetry
          const findUnreadiness = service.findUnreadiness
          const metricsPort =
            metrics !== undefined && cluster.isPrimary
              ? yield* serveMetrics(config, { metrics: metrics.text, findUnreadiness })
              : config.adminPort
          const address = yield* listen(service.server, config.host, config.port, "PORT or HOST", socket)
          onStop(() => {
            stop.resolve()
            endInTime(config)
          })
          tellPrimary({ listening: originOf(address) })
          return { address, metricsPort }
        }).pipe(Scope.extend(yield* Effect.scope)),
      )
      const serveStore = Effect.gen(function* () {
        yield* prepare(config)
        yield* service.serveStore
        const { address, metricsPort } = yield* listening
        const lines = announcement(config, address, metricsPort, yield* findAccess(config))
        if (cluster.isPrimary) process.stdout.write(lines)
        else tellPrimary({ serving: lines })
        yield* Effect.never
      })
      let reported: string | undefined
      const serveWithoutStore = (failure: Failure) =>
        Effect.gen(function* () {
          if (!isUnavailable(failure)) return
          yield* service.serveWithoutStore(failure.cause)
          const { address } = yield* listening
          const reason = textOf(failure)
          if (reason !== reported) {
            const waits = `${reason} Requests to ${originOf(address)}/v1 get 503 until a further attempt succeeds.`
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
      const drain = Effect.promise(() => service.drain())
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

/** Runs workers, which each serve the store, and serves the operator's requests. */
const servePrimary = (config: Config, socket: number | undefined) =>
  Effect.scoped(
    Effect.gen(function* () {
      const workers = workersOf(config, createLogger(config).logger)
      const metricsPort = yield* serveMetrics(config, workers)
      const variables = {
        ...Option.match(metricsPort, { onNone: () => ({}), onSome: (port) => ({ ADMIN_PORT: String(port) }) }),
        ...(socket !== undefined && { LISTEN_FDS: "1" }),
      }
      process.exitCode = yield* Effect.promise(() => workers.run(variables))
    }),
  )

export const serve = async ({ check }: { readonly check?: true } = {}): Promise<void> => {
  const socket = takeInheritedSocket()
  const program = withConfig(function* (config) {
    yield* refuseUnsafeSettings(config)
    if (check === true) yield* checkStore(config)
    else yield* config.workers > 1 && cluster.isPrimary ? servePrimary(config, socket) : serveAlone(config, socket)
  })
  await runCommand(program, async (reason) => say(process.stderr, "fatal", reason))
  // Otherwise, the channel to the primary would keep a worker running.
  process.channel?.unref()
}
