/** A worker: one of the processes that share the port. It obeys the primary, which alone hears the operator. */
import cluster from "node:cluster"
import { Effect, type Scope } from "effect"
import type { CommandFailed } from "../cli/program.js"
import type { Config } from "../config.js"
import type { Services } from "../http/app.js"
import type { Observation } from "../telemetry/observation.js"
import { type Order, primaryMessage, type WorkerMessage } from "./messages.js"
import { makingRoom, type Service, startService, stopping } from "./service.js"
import { onStopSignals } from "./signals.js"

const tell = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    const sent = process.send?.(message, undefined, undefined, () => resolve())
    if (sent === undefined) resolve()
  })

/** Tells the primary why this worker cannot start. */
export const tellFailure = (reason: string): Promise<void> => tell({ petstore: "failed", reason })

/** Drains the service when this worker is told to go, by the primary or by its end. A terminal sends its signals to every process of the group. */
const untilDrained = (service: Service, config: Config, { metrics }: Observation): Effect.Effect<void> =>
  Effect.async((resume) => {
    const obey = (order: Order) => {
      // `stop` may come while the worker makes room: it hurries.
      const options = order === "replace" ? makingRoom(config) : stopping(config)
      service.drain(options).then(() => resume(Effect.void))
    }
    process.on("message", (value) => {
      const message = primaryMessage(value)
      if (message?.petstore === "order") obey(message.order)
      if (message?.petstore === "measure") void metrics?.snapshot().then((snapshot) => tell({ petstore: "measured", snapshot }))
    })
    onStopSignals(
      () => obey("stop"),
      () => process.exit(1),
    )
    process.once("disconnect", () => obey("stop"))
    if (!process.connected) obey("stop")
  })

/** Serves until it is told to go. */
export const serveAsWorker = (
  config: Config,
  observation: Observation,
): Effect.Effect<void, CommandFailed, Services | Scope.Scope> =>
  Effect.gen(function* () {
    // If the primary dies, Node would end its workers in the middle of a request.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
    const service = yield* startService(config, observation)
    yield* Effect.promise(() => tell({ petstore: "ready", address: service.address }))
    yield* untilDrained(service, config, observation)
  })

/** Lets go of the primary, so that nothing keeps the process any longer. */
export const leave = (): void => {
  if (process.connected) process.disconnect?.()
}
