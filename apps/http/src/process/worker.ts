/** A worker: one of the processes that share the port. It does what the primary says, which alone hears the operator. */
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

/** Says something to the primary, and never fails: one that is gone is noticed otherwise. */
const send = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    if (!process.connected) resolve()
    else process.send?.(message, undefined, undefined, () => resolve())
  })

/** Tells the primary why this worker cannot start. */
export const reportFailure = (reason: string): Promise<void> => send({ petstore: "failed", reason })

/** What the primary tells this worker to do: `lost` if it is gone. */
type Command = Instruction | "lost"

export interface Primary {
  /** Calls back for every command from now on. */
  readonly onCommand: (handle: (command: Command) => void) => void
}

/** Hears the primary from now on. Until {@link Primary.onCommand} is called, this worker has nothing in flight, and a command ends it at once. */
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
    // Acknowledged first: nothing of it may be read here that another worker would have to read again.
    void send({ petstore: "taken", number: message.number })
    if (!(socket instanceof Socket)) return
    // What node:http does with connections that it accepts itself.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    server.emit("connection", socket)
  })
  // Node begins here to look for requests that take too long.
  server.emit("listening")
}

/** Ends when the primary wants this worker gone and the last connection has closed. */
const untilDrained = (
  primary: Primary,
  { drain }: Pick<Connections, "drain">,
  config: Config,
  { logger }: Telemetry,
): Promise<void> =>
  new Promise((resolve) => {
    primary.onCommand((command) => {
      if (command === "lost") {
        logger.fatal("the primary is gone: this worker finishes what it has, and ends")
        process.exitCode = 1
      }
      // Others may come while the connections drain: they shorten it.
      drain(command === "replace" ? replaced(config) : stopping(config)).then(() => {
        // Nothing is in flight any more: from here on a lost primary is not an error.
        primary.onCommand(() => {})
        resolve()
      })
    })
    // The primary first stops to hand out connections, and says so with its instruction.
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

/** Lets go of the primary, so that nothing keeps the process any longer. */
export const leave = (): void => {
  if (process.connected) process.disconnect?.()
}
