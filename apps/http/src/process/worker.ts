/** A worker: one of the processes that share the port. It follows the primary, which alone handles signals of the operator. */
import type { Server } from "node:http"
import { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import type { Config } from "../config.js"
import type { Connections } from "../http/connections.js"
import type { Services } from "../http/operation.js"
import type { Telemetry } from "../telemetry/telemetry.js"
import { type Instruction, primaryMessage, type WorkerMessage } from "./messages.js"
import { createService, replaced, stopping } from "./service.js"
import { rateLimiterOfPrimary } from "./shared-rate.js"
import { onStopSignals } from "./signals.js"

/** Sends a message to the primary, and never fails: `disconnect` reports an ended primary. */
const send = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    if (!process.connected) resolve()
    else process.send?.(message, undefined, undefined, () => resolve())
  })

/** Tells the primary why this worker cannot start. */
export const reportFailure = (reason: string): Promise<void> => send({ petstore: "failed", reason })

/** A command of the primary; `lost` if the primary has ended. */
type Command = Instruction | "lost"

export interface Primary {
  /** Calls back for every command. */
  readonly onCommand: (handle: (command: Command) => void) => void
}

/**
 * Listens to the primary. Until {@link Primary.onCommand} is called, this worker has nothing in flight, and a command ends it at
 * once.
 */
export const listenToPrimary = (): Primary => {
  let handle = (command: Command): void => process.exit(command === "lost" ? 1 : 0)
  process.on("message", (value) => {
    const message = primaryMessage(value)
    if (message?.petstore === "instruction") handle(message.instruction)
  })
  process.once("disconnect", () => handle("lost"))
  if (!process.connected) handle("lost")
  // A terminal sends its signals to every process of the group, the primary included.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.removeAllListeners(signal).on(signal, () => {})
  return {
    onCommand: (next) => {
      handle = next
    },
  }
}

/** Gives a server the connections that the primary accepts. */
const takeConnections = (server: Server): void => {
  process.on("message", (value, socket) => {
    const message = primaryMessage(value)
    if (message?.petstore === "ask") void send({ petstore: "asked", upTo: message.upTo })
    if (message?.petstore !== "connection") return
    // Acknowledged before reading: otherwise another worker could get a connection that is partly read.
    void send({ petstore: "taken", number: message.number })
    if (!(socket instanceof Socket)) return
    // As node:http does with connections that it accepts itself.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    server.emit("connection", socket)
  })
  // Here Node starts to check for requests that take too long.
  server.emit("listening")
}

/** Ends when the primary has stopped this worker and the last connection has closed. */
const untilDrained = (
  primary: Primary,
  { drain }: Pick<Connections, "drain">,
  config: Config,
  { logger }: Telemetry,
): Promise<void> =>
  new Promise((resolve) => {
    primary.onCommand((command) => {
      if (command === "lost") {
        logger.fatal("the primary has ended: this worker finishes its requests and exits")
        process.exitCode = 1
      }
      // Later commands may shorten the drain.
      drain(command === "replace" ? replaced(config) : stopping(config)).then(() => {
        // Nothing is in flight any more, so a lost primary is not an error.
        primary.onCommand(() => {})
        resolve()
      })
    })
    // The primary first stops handing out connections, then confirms with its command.
    onStopSignals(
      () => void send({ petstore: "leaving" }),
      () => process.exit(1),
      ["SIGTERM"],
    )
  })

/** Serves until the primary stops it. */
export const serveAsWorker = (
  primary: Primary,
  config: Config,
  telemetry: Telemetry,
): Effect.Effect<void, never, Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { server, connections, findUnreadiness } = yield* createService(config, telemetry, rateLimiterOfPrimary)
    const { metrics } = telemetry
    process.on("message", (value) => {
      const question = primaryMessage(value)?.petstore
      if (question === "measure") void metrics?.snapshot().then((snapshot) => send({ petstore: "measured", snapshot }))
      if (question === "check") void findUnreadiness().then((failure) => send({ petstore: "checked", failure: failure?.object }))
    })
    takeConnections(server)
    const drained = untilDrained(primary, connections, config, telemetry)
    yield* Effect.promise(() => send({ petstore: "ready" }))
    yield* Effect.promise(() => drained)
  })

/** Disconnects from the primary, so that the process can end. */
export const leave = (): void => {
  if (process.connected) process.disconnect?.()
}
