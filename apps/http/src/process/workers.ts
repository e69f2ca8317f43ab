/** With `WORKERS` above 1, node:cluster shares the port between processes. The primary starts, replaces and stops the workers. */
import cluster, { type Worker } from "node:cluster"
import { createRequire } from "node:module"
import { isSea } from "node:sea"
import { setTimeout as pause } from "node:timers/promises"
import type { Logger } from "pino"
import type { Config } from "../config.js"
import { httpError } from "../http/error-response.js"
import { type RateLimiter, rateLimiterHere, rateWindowSeconds } from "../http/steps/rate-limit.js"
import { workersMetricsText } from "../telemetry/metrics.js"
import type { AdminOptions } from "./metrics-server.js"
import { onStopSignals } from "./signals.js"

/** The pause before an exited worker is replaced, in ms. A worker that cannot reach its database does not exit. */
const pauseMillis = 500
/** How long before the shutdown deadline a process that has not ended by then is killed, in ms. */
const killMillis = 250
/** How long a worker may take to report whether it is ready, in ms. */
const readyMillis = 2_000

/** What a worker tells the primary: that it listens at this origin, or that it serves, with the lines to print. */
export type WorkerMessage = { readonly listening: string } | { readonly serving: string }

/** How long after the signal a process that has not ended is killed, in ms. */
export const killAfterMillis = ({ shutdownMillis }: Pick<Config, "shutdownMillis">): number =>
  Math.max(shutdownMillis - killMillis, shutdownMillis * 0.75)

/** Loaded only when processes count together, because it takes 1 MiB. */
const loadLimiters = (): typeof import("rate-limiter-flexible") => createRequire(import.meta.url)("rate-limiter-flexible")

/** Counts in the primary. */
const rateLimiterOfWorkers = (points: number): RateLimiter => {
  const { RateLimiterCluster, RateLimiterRes } = loadLimiters()
  const limiter = new RateLimiterCluster({ points, duration: rateWindowSeconds, keyPrefix: "keys" })
  return {
    points,
    count: async (keyId) => {
      // The library throws the state of a key that is over the limit.
      const state = await limiter.consume(keyId).catch((thrown: unknown) => thrown)
      if (!(state instanceof RateLimiterRes)) throw state
      const { consumedPoints, remainingPoints: remaining, msBeforeNext: resetMillis } = state
      return { isAllowed: consumedPoints <= points, remaining, resetMillis }
    },
  }
}

export const rateLimiterOf = (points: number): RateLimiter =>
  cluster.isWorker ? rateLimiterOfWorkers(points) : rateLimiterHere(points)

export const workersOf = ({ workers, shutdownMillis }: Pick<Config, "workers" | "shutdownMillis">, logger: Logger) => {
  /** Each worker, and when it listens. Before, it can miss messages. */
  const alive = new Map<Worker, PromiseWithResolvers<void>>()
  const ended = Promise.withResolvers<number>()
  let isStopping = false
  let isServing = false
  let origin: string | undefined
  let environment: NodeJS.ProcessEnv = {}

  const start = (): void => {
    if (isStopping) return
    const worker = cluster.fork(environment)
    alive.set(worker, Promise.withResolvers())
    // Either the process could not be created, or a message did not reach an exited worker.
    worker.on("error", ({ message }) => worker.process.pid === undefined && end(worker, message))
  }

  const end = (worker: Worker, how: string, exitCode?: number): void => {
    alive.get(worker)?.resolve()
    alive.delete(worker)
    // A worker that could not start has reported the reason itself.
    const isReported = !isServing && exitCode !== undefined
    if (!isStopping && !isReported)
      logger.error({ worker: worker.id, workerPid: worker.process.pid, end: how }, "a worker exited unexpectedly")
    if (alive.size > 0) setTimeout(start, pauseMillis)
    else ended.resolve(isStopping ? 0 : exitCode || 1)
    isStopping ||= alive.size === 0
  }

  const signalAll = (signal: NodeJS.Signals): void => {
    for (const worker of alive.keys()) worker.process.kill(signal)
  }

  const stop = (): void => {
    isStopping = true
    signalAll("SIGTERM")
    setTimeout(signalAll, killAfterMillis({ shutdownMillis }), "SIGKILL").unref()
  }

  cluster.setupPrimary(isSea() ? { exec: "serve", args: [], execArgv: [] } : { args: ["serve"] })
  const { RateLimiterClusterMaster } = loadLimiters()
  new RateLimiterClusterMaster()
  cluster.on("exit", (worker, code, signal) => end(worker, signal ?? `exit code ${code}`, code ?? undefined))
  // Safe: the libraries' messages have other members.
  cluster.on("message", (worker, { listening, serving }: Partial<Record<"listening" | "serving", string>>) => {
    origin = listening ?? origin
    if (listening !== undefined) alive.get(worker)?.resolve()
    if (serving === undefined || isServing) return
    isServing = true
    process.stdout.write(serving)
    for (let number = 1; number < workers; number += 1) start()
  })

  /** Asks the worker that gets the request on the API's own port. */
  const findUnreadiness: AdminOptions["findUnreadiness"] = async () => {
    const none = httpError("service_stopping", "No worker responds.")
    if (isStopping || origin === undefined) return none
    const signal = AbortSignal.timeout(readyMillis)
    const response = await fetch(`${origin}/readyz`, { signal, headers: { Connection: "close" } }).catch(() => undefined)
    return response === undefined ? none : response.ok ? undefined : { object: JSON.parse(await response.text()) }
  }

  /** The metrics of all workers, once those that are starting listen. */
  const metrics: AdminOptions["metrics"] = async () => {
    const started = Promise.all(Array.from(alive.values(), ({ promise }) => promise))
    await Promise.race([started, pause(readyMillis, undefined, { ref: false })])
    return workersMetricsText()
  }

  /**
   * Runs the workers until a signal stops them or until none is left, and returns the exit code. The first worker starts alone, so
   * that a fault of all workers is reported once. The others start when it serves.
   *
   * @param variables  additional environment variables for the workers
   */
  const run = (variables: NodeJS.ProcessEnv): Promise<number> => {
    environment = variables
    onStopSignals(stop, () => {
      signalAll("SIGKILL")
      process.exit(1)
    })
    start()
    return ended.promise
  }
  return { findUnreadiness, metrics, run }
}
