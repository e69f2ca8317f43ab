/** With `WORKERS` above 1, node:cluster shares the port between processes. The primary starts, replaces and stops the workers. */
import cluster, { type Worker } from "node:cluster"
import { setTimeout as pause } from "node:timers/promises"
import type { Logger } from "pino"
import type { Config } from "../config.js"
import { httpError } from "../http/error-response.js"
import { countForWorkers } from "../http/steps/rate-limit.js"
import { workersMetricsText } from "../telemetry/metrics.js"
import { fork } from "./fork.js"
import type { AdminOptions } from "./metrics-server.js"
import { killAfterMillis, onStopSignals } from "./signals.js"

/** The pause before an exited worker is replaced, in ms. A worker that cannot reach its database does not exit. */
const pauseMillis = 500
/** How long a worker may take to report whether it is ready, in ms. */
const readyMillis = 2_000

/** What a worker tells the primary: that it listens at this origin, or that it serves, with the lines to print. */
export type WorkerMessage = Partial<Record<"listening" | "serving", string>>

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
    const worker = fork(environment)
    alive.set(worker, Promise.withResolvers())
    // Either the process could not be created, or a message did not reach an exited worker.
    worker.on("error", ({ message }) => worker.process.pid === undefined && end(worker, message))
  }

  const end = (worker: Worker, how: string, exitCode?: number): void => {
    alive.get(worker)?.resolve()
    alive.delete(worker)
    // A worker that could not start has reported the reason itself.
    if (!isStopping && (isServing || exitCode === undefined))
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
    setTimeout(signalAll, killAfterMillis(shutdownMillis), "SIGKILL").unref()
  }

  countForWorkers()
  cluster.on("exit", (worker, code, signal) => end(worker, signal ?? `exit code ${code}`, code ?? undefined))
  // Safe: the libraries' messages have other members.
  cluster.on("message", (worker, { listening, serving }: WorkerMessage) => {
    origin = listening ?? origin
    if (listening !== undefined) alive.get(worker)?.resolve()
    if (serving === undefined || isServing) return
    isServing = true
    process.stdout.write(serving)
    // Only now, so that a fault of all workers is reported once.
    for (let number = 1; number < workers; number += 1) start()
  })

  /** Asks the worker that gets the request on the API's own port. */
  const findUnreadiness: AdminOptions["findUnreadiness"] = async () => {
    const options = { signal: AbortSignal.timeout(readyMillis), headers: { Connection: "close" } }
    const response = await fetch(`${origin}/readyz`, options).catch(() => undefined)
    if (response === undefined || isStopping) return httpError("service_stopping", "No worker responds.")
    return response.ok ? undefined : { object: JSON.parse(await response.text()) }
  }

  /** The metrics of all workers, once those that are starting listen. */
  const metrics: AdminOptions["metrics"] = async () => {
    const started = Array.from(alive.values(), ({ promise }) => promise)
    await Promise.race([Promise.all(started), pause(readyMillis, undefined, { ref: false })])
    return workersMetricsText()
  }

  /** Runs the workers, with additional environment variables, until a signal or until none is left. Returns the exit code. */
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
