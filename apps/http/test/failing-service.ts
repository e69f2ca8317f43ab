/** Runs the service in this process, with a store that fails on demand. */
import type { AddressInfo } from "node:net"
import { Budget, createBoundedServer } from "@petstore/bounded-http"
import { createAccount, createApiKey, StorageUnavailable } from "@petstore/core"
import { nodeCryptography, storage, wrapRepositories } from "@petstore/storage"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Middleware } from "koa"
import { pino } from "pino"
import { createApp } from "../src/http/app.js"
import type { Services } from "../src/http/operation.js"
import { refuseWith } from "../src/http/refusal.js"
import { rateLimiterHere } from "../src/http/steps/rate-limit.js"
import { unknownServers } from "../src/openapi/servers.js"

/** How the store behaves. `full` means that the service has no memory left for requests. */
type Health = "well" | "catalogue unavailable" | "catalogue broken" | "credentials unavailable" | "credentials broken" | "full"

export interface FailingService {
  readonly baseUrl: URL
  readonly makeKey: (readOnly?: boolean) => Promise<string>
  readonly become: (health: Health) => void
  readonly stop: () => Promise<void>
}

/** Starts the service with a rate limit per key, and with Koa middleware and another store if given. */
export const startFailingService = async (
  requestsAMinute: number,
  middleware: ReadonlyArray<Middleware> = [],
  store: ReturnType<typeof storage> = storage("memory:", { migrate: true }),
): Promise<FailingService> => {
  let health: Health = "well"
  const failing = <A, E>(
    what: "catalogue" | "credentials",
    effect: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | StorageUnavailable> =>
    Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => {
      if (health === `${what} unavailable`) return new StorageUnavailable({ cause: "told to" })
      return health === `${what} broken` ? Effect.die("told to") : effect
    })
  /** Makes every port member that calls the store fail on demand. */
  const failingPort =
    (what: "catalogue" | "credentials") =>
    <Repository extends object>(repository: Repository): Repository =>
      // Safe: members are effects, or functions that return them.
      Object.fromEntries(
        Object.entries(repository).map(([name, member]) => {
          if (typeof member !== "function") return [name, failing(what, member)]
          return [name, (...args: ReadonlyArray<unknown>) => failing(what, member(...args))]
        }),
      ) as Repository
  const kept = wrapRepositories(store, {
    pets: failingPort("catalogue"),
    orders: failingPort("catalogue"),
    inventory: failingPort("catalogue"),
    categories: failingPort("catalogue"),
    changes: failingPort("catalogue"),
    credentials: ({ findApiKey, listAccounts, ...others }) => ({
      ...others,
      ...failingPort("credentials")({ findApiKey }),
      ...failingPort("catalogue")({ listAccounts }),
    }),
  })
  const runtime = ManagedRuntime.make(Layer.merge(kept, nodeCryptography))
  const budget = new Budget(67_108_864)
  const { listener } = createApp({
    runtime: await runtime.runPromise(Effect.runtime<Services>()),
    deployment: "development",
    storePage: true,
    servers: unknownServers,
    pathPrefix: "",
    bodyLimitBytes: 65_536,
    tlsInFront: false,
    corsOrigins: [],
    rateLimiter: rateLimiterHere(requestsAMinute),
    countDeprecatedCall: () => {},
    logger: pino({ level: "silent" }),
    observers: [],
    tracing: undefined,
    middleware,
    isStopping: () => false,
    waitingLimit: 2_000,
  })
  const server = createBoundedServer(listener, { budget, isLean: true, reserves: true, refuse: refuseWith([], () => []) })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  await runtime.runPromise(createAccount("contract"))
  // Safe: a server that listens on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: new URL(`http://127.0.0.1:${port}/v1`),
    makeKey: async (readOnly = false) =>
      (await runtime.runPromise(createApiKey({ accountName: "contract", deployment: "development", readOnly }))).secret,
    become: (next) => {
      const filledIn = (which: Health) => (which === "full" ? budget.limitBytes : 0)
      budget.bytes += filledIn(next) - filledIn(health)
      health = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await runtime.dispose()
    },
  }
}
