/** `petstore serve`: the service, from opening the store to the last answer. */
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { mintFirstApiKey, type StorageUnavailable } from "@petstore/core"
import { Effect, Option, type Scope } from "effect"
import { pino } from "pino"
import { RateLimiterMemory } from "rate-limiter-flexible"
import { createApp, type Services } from "../app.js"
import type { Config } from "../config.js"
import { deprecatedCallCounter } from "../deprecated-calls.js"
import { rateWindowSeconds } from "../middleware/rate-limit.js"
import { createHttpServer } from "../server.js"
import { curlLine } from "./curl-line.js"
import { CommandFailed, withServices } from "./program.js"

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another program",
  EACCES: "may not be used by this user",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "is no address of this machine",
}

const listen = (server: Server, { host, port }: Config): Effect.Effect<AddressInfo, CommandFailed> =>
  Effect.async((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = listenFailures[error.code ?? ""] ?? `cannot be used: ${error.message}`
      resume(new CommandFailed({ reason: `${host}:${port} ${reason}. Set PORT and HOST.` }))
    })
    server.listen({ host, port }, () => {
      const address = server.address()
      if (address !== null && typeof address === "object") resume(Effect.succeed(address))
    })
  })

/** Stops accepting, lets what is in flight finish, and cuts what is still there at the deadline. */
const stop = (server: Server, deadlineMillis: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMillis)
    server.close(() => {
      clearTimeout(deadline)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** Ends with the first signal to stop; the second one stops the process at once. */
const untilToldToStop: Effect.Effect<void> = Effect.async((resume) => {
  let told = false
  const hear = () => {
    if (told) process.exit(1)
    told = true
    resume(Effect.void)
  }
  process.on("SIGTERM", hear)
  process.on("SIGINT", hear)
})

const baseUrlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}/v1`
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/v1`
}

const serveUntilStopped = (config: Config): Effect.Effect<void, CommandFailed | StorageUnavailable, Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { deployment, bodyLimitBytes, corsOrigins, rateLimit, keepAliveMillis, shutdownMillis } = config
    const logger = pino({ level: config.logLevel })
    const runtime = yield* Effect.runtime<Services>()
    const countDeprecatedCall = yield* deprecatedCallCounter
    const rateLimiter =
      rateLimit > 0 ? Option.some(new RateLimiterMemory({ points: rateLimit, duration: rateWindowSeconds })) : Option.none()
    const app = createApp({ runtime, deployment, bodyLimitBytes, corsOrigins, rateLimiter, countDeprecatedCall, logger })
    const server = createHttpServer(app.callback(), { keepAliveMillis })
    const secret = deployment === "development" ? yield* mintFirstApiKey : Option.none()

    const address = yield* Effect.acquireRelease(listen(server, config), () => stop(server, shutdownMillis))
    const baseUrl = baseUrlOf(address)
    process.stdout.write(`The pet store inventory (${deployment}) is served at ${baseUrl}\n`)
    if (Option.isSome(secret)) {
      process.stdout.write(`This API key is shown once. Add a pet and list it:\n\n${curlLine(baseUrl, secret.value)}\n\n`)
    }
    yield* untilToldToStop
  })

export const serve = () => withServices((config) => Effect.scoped(serveUntilStopped(config)))
