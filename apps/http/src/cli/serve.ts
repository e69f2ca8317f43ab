/** `petstore serve`: the service, from opening the store to the last answer. */
import type { ChildProcess } from "node:child_process"
import type { AddressInfo } from "node:net"
import { mintFirstApiKey, type StorageUnavailable } from "@petstore/core"
import { Effect, Option } from "effect"
import type { Config } from "../config.js"
import type { Services } from "../http/app.js"
import { listen } from "../http/listen.js"
import { handOver } from "../process/handover.js"
import { askWorkers } from "../process/measure.js"
import { serveMetrics } from "../process/metrics-server.js"
import { type Supervision, SupervisionFailed, supervise } from "../process/primary.js"
import { judgeVolatile } from "../process/safety.js"
import { startService, stopping } from "../process/service.js"
import { countFor, rateLimiterHere } from "../process/shared-rate.js"
import { onStopSignals } from "../process/signals.js"
import { hearPrimary, leave, type Primary, serveAsWorker, tellFailure } from "../process/worker.js"
import { createLogger } from "../telemetry/logger.js"
import { type Metrics, metricsText, startMetrics } from "../telemetry/metrics.js"
import { type Observation, startObservation } from "../telemetry/observation.js"
import { checkStore, refuseUnsafeKeys, refuseUnsafeSettings } from "./check.js"
import { curlLine } from "./curl-line.js"
import { CommandFailed, type Failure, provideServices, runCommand, withConfig } from "./program.js"

const baseUrlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}/v1`
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/v1`
}

const announce = (
  { deployment, adminHost }: Config,
  address: AddressInfo,
  secret: Option.Option<string>,
  metricsPort: Option.Option<number>,
): void => {
  const baseUrl = baseUrlOf(address)
  const lines = [
    `The pet store inventory (${deployment}) is served at ${baseUrl}`,
    `The documentation is at ${baseUrl.replace(/v1$/, "docs")}`,
    ...Option.toArray(metricsPort).map((port) => `Metrics are at http://${adminHost}:${port}/metrics`),
    ...Option.toArray(secret).map((key) => `This API key is shown once. Add a pet and list it:\n\n${curlLine(baseUrl, key)}\n`),
  ]
  // One write: whoever waits for the first line gets the others with it.
  process.stdout.write(`${lines.join("\n")}\n`)
}

/** What happens once before anybody serves. Answers the secret of a first key, if one was made. */
const prepare = (config: Config): Effect.Effect<Option.Option<string>, CommandFailed | StorageUnavailable, Services> =>
  Effect.gen(function* () {
    yield* refuseUnsafeKeys(config)
    return config.deployment === "development" ? yield* mintFirstApiKey : Option.none()
  })

const observe = (config: Config): Effect.Effect<Observation> =>
  Effect.promise(() => startObservation(config, createLogger(config)))

/** A terminal that closes ends what a developer started on it. Elsewhere SIGHUP asks for new workers, and ending would be a surprise. */
const stayOnHangUp = ({ deployment }: Config, { logger }: Observation): void => {
  if (deployment === "development") return
  process.on("SIGHUP", () => logger.warn("SIGHUP replaces workers, and WORKERS is 1: nothing was done"))
}

/** Ends with the first signal to stop; the second one stops the process at once. */
const untilToldToStop: Effect.Effect<void> = Effect.async((resume) =>
  onStopSignals(
    () => resume(Effect.void),
    () => process.exit(1),
  ),
)

const serveAlone = (config: Config) =>
  Effect.flatMap(observe(config), (observation) =>
    provideServices(
      config,
      Effect.scoped(
        Effect.gen(function* () {
          const secret = yield* prepare(config)
          const metricsPort = yield* serveMetrics(config, () => metricsOf(observation.metrics))
          const service = yield* startService(config, observation)
          stayOnHangUp(config, observation)
          announce(config, service.address, secret, metricsPort)
          yield* untilToldToStop
          yield* Effect.promise(() => service.drain(stopping(config)))
        }),
      ),
      observation,
      judgeVolatile(config, (reason) => observation.logger.warn(reason)),
    ),
  )

const metricsOf = async (metrics: Metrics | undefined) =>
  metricsText(metrics === undefined ? [] : [{ worker: undefined, snapshot: await metrics.snapshot() }])

const servePrimary = (config: Config) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { workers, shutdownMillis, rateLimit, adminPort, host, port, connectionLimit } = config
      const { logger } = createLogger(config)
      const judge = judgeVolatile(config, (reason) => logger.warn(reason))
      const secret = yield* provideServices(config, prepare(config), undefined, judge)
      const metrics = Option.isSome(adminPort) ? yield* Effect.promise(startMetrics) : undefined
      const limiter = rateLimit > 0 ? rateLimiterHere(rateLimit) : undefined
      let supervision: Supervision | undefined
      const measure = async () => {
        const own = { worker: "primary", snapshot: (await metrics?.primarySnapshot()) ?? [] }
        return metricsText([own, ...(supervision === undefined ? [] : await askWorkers(supervision))])
      }
      const metricsPort = yield* serveMetrics(config, measure)
      const connections = handOver(connectionLimit, () => metrics?.closings("connection_limit", []))
      const address = yield* listen(connections.server, host, port, "PORT and HOST")
      const onStart = (worker: ChildProcess) => limiter && countFor(worker, limiter)
      const onReady = () => announce(config, address, secret, metricsPort)
      const running = supervise({ workers, shutdownMillis, logger, connections, onStart, onReady })
      supervision = running
      yield* Effect.tryPromise({ try: () => running.ended, catch: (thrown) => thrown }).pipe(
        Effect.catchAll((thrown) =>
          thrown instanceof SupervisionFailed ? new CommandFailed({ reason: thrown.message }) : Effect.die(thrown),
        ),
      )
    }),
  )

const serveWorker = (primary: Primary) =>
  withConfig((config) =>
    Effect.flatMap(observe(config), (observation) =>
      provideServices(config, Effect.scoped(serveAsWorker(primary, config, observation)), observation),
    ),
  )

/** Runs a worker, which only the primary starts. */
export const work = async (): Promise<void> => {
  if (process.send === undefined) {
    process.stderr.write("petstore: only petstore serve starts workers. Set WORKERS.\n")
    process.exitCode = 2
    return
  }
  await runCommand(serveWorker(hearPrimary()), tellFailure)
  leave()
}

export interface ServeOptions {
  /** Whether to look at the settings and the store only. */
  readonly check?: true
}

/** Runs the command in its process: the primary of workers, or the one process there is. */
export const serve = async ({ check }: ServeOptions): Promise<void> => {
  const safely = (program: (config: Config) => Effect.Effect<void, Failure>) =>
    withConfig((config): Effect.Effect<void, Failure> => Effect.zipRight(refuseUnsafeSettings(config), program(config)))
  await runCommand(safely(check === true ? checkStore : (config) => (config.workers > 1 ? servePrimary : serveAlone)(config)))
}
