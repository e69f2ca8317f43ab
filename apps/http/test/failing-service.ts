/** The service in this process, with a store that fails when it is told to: what no healthy store shows. */
import type { AddressInfo } from "node:net"
import {
  CredentialRepository,
  createAccount,
  createApiKey,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  StorageUnavailable,
} from "@petstore/core"
import { decodeDatabaseUrl, nodeCryptography, storage } from "@petstore/storage"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import type { Middleware } from "koa"
import { pino } from "pino"
import { RateLimiterMemory } from "rate-limiter-flexible"
import { createApp } from "../src/http/app.js"
import type { Services } from "../src/http/operation.js"
import { createHttpServer } from "../src/http/server.js"
import { relativeServers } from "../src/openapi/servers.js"

/** How the store behaves. */
type Health = "well" | "catalogue away" | "catalogue broken" | "credentials away" | "credentials broken"

export interface FailingService {
  readonly baseUrl: URL
  /** Makes another API key. */
  readonly makeKey: () => Promise<string>
  readonly become: (health: Health) => void
  readonly stop: () => Promise<void>
}

/** Starts it with a limit of requests a minute for each key, and with middleware of Koa around it, if there is any. */
export const startFailingService = async (
  requestsAMinute: number,
  middleware: ReadonlyArray<Middleware> = [],
): Promise<FailingService> => {
  let health: Health = "well"
  const failing = <A, E>(
    what: "catalogue" | "credentials",
    effect: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | StorageUnavailable> =>
    Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => {
      if (health === `${what} away`) return new StorageUnavailable({ cause: "told to" })
      return health === `${what} broken` ? Effect.die("told to") : effect
    })
  const pets = Layer.effect(
    PetRepository,
    Effect.map(PetRepository, (kept) => ({
      ...kept,
      insert: (pet) => failing("catalogue", kept.insert(pet)),
      insertOnce: (pet, claim) => failing("catalogue", kept.insertOnce(pet, claim)),
      find: (id) => failing("catalogue", kept.find(id)),
      list: (selection) => failing("catalogue", kept.list(selection)),
    })),
  )
  const orders = Layer.effect(
    OrderRepository,
    Effect.map(OrderRepository, (kept) => ({
      insert: (petId, createdAt) => failing("catalogue", kept.insert(petId, createdAt)),
      insertOnce: (petId, claim) => failing("catalogue", kept.insertOnce(petId, claim)),
      close: (id, closing, closedAt) => failing("catalogue", kept.close(id, closing, closedAt)),
      find: (id) => failing("catalogue", kept.find(id)),
      list: (selection) => failing("catalogue", kept.list(selection)),
    })),
  )
  const inventory = Layer.effect(
    InventoryRepository,
    Effect.map(InventoryRepository, (kept) => ({ ...kept, read: failing("catalogue", kept.read) })),
  )
  const credentials = Layer.effect(
    CredentialRepository,
    Effect.map(CredentialRepository, (kept) => ({
      ...kept,
      findApiKey: (hash) => failing("credentials", kept.findApiKey(hash)),
    })),
  )
  const database = Option.getOrThrow(decodeDatabaseUrl("memory:"))
  const kept = storage(database, { migrate: true })
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(pets, orders, inventory, credentials).pipe(Layer.provideMerge(kept), Layer.merge(nodeCryptography)),
  )
  const { listener } = createApp({
    runtime: await runtime.runPromise(Effect.runtime<Services>()),
    deployment: "development",
    storePage: true,
    servers: relativeServers,
    bodyLimitBytes: 65_536,
    tlsInFront: false,
    corsOrigins: [],
    rateLimiter: new RateLimiterMemory({ points: requestsAMinute, duration: 60 }),
    countDeprecatedCall: () => {},
    logger: pino({ level: "silent" }),
    observers: [],
    middleware,
    isStopping: () => false,
  })
  const { server } = createHttpServer(listener, {
    keepAliveMillis: 1_000,
    connectionLimit: 1_000,
    pipelineLimit: 32,
    unreadLimitBytes: 1_048_576,
    headMillis: 2_000,
    requestMillis: 30_000,
    readMillis: 30_000,
    originHeaders: () => [],
    observeClosing: () => {},
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  await runtime.runPromise(createAccount("contract"))
  // Safe: a server that listens on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: new URL(`http://127.0.0.1:${port}/v1`),
    makeKey: async () =>
      (
        await runtime.runPromise(
          createApiKey({ accountName: "contract", deployment: "development", lifetimeMillis: Option.none() }),
        )
      ).secret,
    become: (next) => {
      health = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await runtime.dispose()
    },
  }
}
