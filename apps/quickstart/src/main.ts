/** The `petstore-quickstart` command: the smallest app that composes core and storage. It serves until it is told to stop. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { checkStoreDeployment, mintFirstApiKey } from "@petstore/core"
import { nodeCryptography, storage } from "@petstore/storage"
import { Effect, Layer, Option } from "effect"
import { createApp, type Services } from "./app.js"
import { messageRepository, messageTable } from "./message-storage.js"
import { readSettings } from "./settings.js"

/** How long requests in flight may take when the process is told to stop, in ms. */
const shutdownMillis = 10_000

const curlLine = (url: string, secret: string): string =>
  `curl -sS -w '\\n' -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '{"message":"Hello"}' ${url}`

const serve = (settings: ReturnType<typeof readSettings>) =>
  Effect.gen(function* () {
    const { deployment, host, port } = settings
    yield* Effect.catchTag(checkStoreDeployment(Option.some(deployment)), "DeploymentMismatch", ({ kept }) =>
      Effect.fail(new Error(`The store belongs to ${kept}: set PETSTORE_ENV=${kept}, or name another one in DATABASE_URL.`)),
    )
    const app = createApp(yield* Effect.runtime<Services>(), deployment)
    // Of two headers Node would keep one, and it would answer a missing Host without a body: the app checks both.
    const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false }, app.callback()).listen(port, host)
    yield* Effect.tryPromise({ try: () => once(server, "listening"), catch: (thrown) => thrown })

    // Safe: a server that listens on a host and a port has such an address.
    const url = `http://${host}:${(server.address() as AddressInfo).port}/messages`
    // First of all: a program that reads the announcement may stop the app at once.
    const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")])
    process.stdout.write(`The quickstart (${deployment}) is served at ${url}\n`)
    const secret = deployment === "development" ? yield* mintFirstApiKey : Option.none()
    if (Option.isSome(secret)) {
      process.stdout.write(`This API key is shown once. Queue a message:\n\n${curlLine(url, secret.value)}\n\n`)
    }

    yield* Effect.promise(() => stopped)
    setTimeout(() => server.closeAllConnections(), shutdownMillis).unref()
    yield* Effect.promise(() => {
      server.close()
      return once(server, "close")
    })
  })

const main = Effect.gen(function* () {
  const settings = yield* Effect.try({ try: readSettings, catch: (thrown) => thrown })
  const store = storage(settings.database, { migrate: true, appTables: [messageTable] })
  const services = Layer.merge(Layer.provideMerge(messageRepository, store), nodeCryptography)
  yield* Effect.provide(serve(settings), services)
})

/** A failure is said in one line: its reason if it has one for the operator, else what the system says. */
const explain = (failure: unknown): string => {
  if (typeof failure === "object" && failure !== null && "reason" in failure) return String(failure.reason)
  return failure instanceof Error ? failure.message : String(failure)
}

await Effect.runPromise(
  Effect.catchAll(main, (failure) =>
    Effect.sync(() => {
      process.stderr.write(`petstore-quickstart: ${explain(failure)}\n`)
      process.exitCode = 1
    }),
  ),
)
