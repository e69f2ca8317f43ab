/**
 * A worker is one of the processes that share the port. It follows the primary, which handles the operator's signals. If a worker
 * gets SIGTERM itself, it asks the primary to stop it.
 */
import type { Server } from "node:http"
import { Socket } from "node:net"
import { Effect } from "effect"
import type { Config } from "../config.js"
import type { Telemetry } from "../telemetry/telemetry.js"
import { type Instruction, primaryMessage, type WorkerMessage } from "./messages.js"
import { createService, replaced, stopping } from "./service.js"
import { rateLimiterOfPrimary } from "./shared-rate.js"
import { onStopSignals } from "./signals.js"

/** Sends a message to the primary. Never fails, because `disconnect` reports that the primary has exited. */
const send = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    if (!process.connected) resolve()
    else process.send?.(message, undefined, undefined, () => resolve())
  })

export const reportFailure = (reason: string): Promise<void> => send({ petstore: "failed", reason })

/** A command from the primary, or `lost` if the primary has exited. */
type Command = Instruction | "lost"

/** Sets the handler of every command, which also gets the time since the primary sent the command, in ms. */
export type OnCommand = (handle: (command: Command, lateMillis: number) => void) => void

/** How long ago an instruction was sent, in ms. */
export const latenessOf = ({ sentAt }: { readonly sentAt?: number }): number =>
  sentAt === undefined ? 0 : Math.max(Date.now() - sentAt, 0)

/** Listens to the primary. Until the returned function is called, nothing is in flight, so a command ends the worker at once. */
export const listenToPrimary = (): OnCommand => {
  let handle = (command: Command, _lateMillis: number): void => process.exit(command === "lost" ? 1 : 0)
  process.on("message", (value) => {
    const message = primaryMessage(value)
    if (message?.petstore === "instruction") handle(message.instruction, latenessOf(message))
  })
  process.once("disconnect", () => handle("lost", 0))
  if (!process.connected) handle("lost", 0)
  // A terminal sends its signals to every process in the group, including the primary.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.removeAllListeners(signal).on(signal, () => {})
  return (next) => {
    handle = next
  }
}

/** Passes the connections that the primary accepts to a server. */
const takeConnections = (server: Server): void => {
  process.on("message", (value, socket) => {
    const message = primaryMessage(value)
    if (message?.petstore === "ask") void send({ petstore: "asked", upTo: message.upTo })
    if (message?.petstore !== "connection") return
    // Acknowledged before any read, because another worker could otherwise get a connection that has been partly read.
    void send({ petstore: "taken", number: message.number })
    if (!(socket instanceof Socket)) return
    // node:http applies these settings to connections that it accepts itself.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    server.emit("connection", socket)
  })
  // On this event, Node starts to check for requests that take too long.
  server.emit("listening")
}

/** Serves until the primary has stopped this worker and the last connection has closed. */
export const serveAsWorker = (onCommand: OnCommand, config: Config, telemetry: Telemetry) =>
  Effect.gen(function* () {
    const { server, connections, findUnreadiness, serveStore } = createService(config, telemetry, rateLimiterOfPrimary)
    yield* serveStore
    const { metrics, logger } = telemetry
    process.on("message", (value) => {
      const question = primaryMessage(value)?.petstore
      if (question === "measure") void metrics?.snapshot().then((snapshot) => send({ petstore: "measured", snapshot }))
      if (question === "check") void findUnreadiness().then((failure) => send({ petstore: "checked", failure: failure?.object }))
    })
    takeConnections(server)
    const drained = Promise.withResolvers<void>()
    onCommand((command, lateMillis) => {
      if (command === "lost") {
        logger.fatal("the primary has exited: this worker will finish its requests and exit")
        process.exitCode = 1
      }
      // Later commands may shorten the drain.
      connections.drain(command === "replace" ? replaced(config) : stopping(config, lateMillis)).then(() => {
        // Nothing is in flight any more, so losing the primary is not an error.
        onCommand(() => {})
        drained.resolve()
      })
    })
    // On `leaving`, the primary stops handing connections to this worker, and then sends its command.
    onStopSignals(
      () => void send({ petstore: "leaving" }),
      () => process.exit(1),
      ["SIGTERM"],
    )
    yield* Effect.promise(() => send({ petstore: "ready" }))
    yield* Effect.promise(() => drained.promise)
  })
