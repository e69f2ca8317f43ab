/** The `petstore-quickstart` command: the smallest app that composes core and storage. It serves until a stop signal. */
import { once } from "node:events"
import { createBoundedServer } from "@petstore/bounded-http"
import { checkStoreDeployment, mintFirstApiKey } from "@petstore/core"
import { nodeCryptography, storage } from "@petstore/storage"
import { Effect, Layer, Option } from "effect"
import { createApp, type Services } from "./app.js"
import { messageTable } from "./messages.js"
import { readSettings } from "./settings.js"

/** How long requests in flight may take after the stop signal, in ms. */
const shutdownMillis = 10_000

const main = Effect.gen(function* () {
  const { database, deployment, host, port } = yield* Effect.try({ try: readSettings, catch: (thrown) => thrown })
  const replaced = Promise.withResolvers<void>()
  const store = storage(database, { migrate: true, appTables: [messageTable], onReplaced: replaced.resolve })

  const serve = Effect.gen(function* () {
    yield* checkStoreDeployment(Option.some(deployment))
    const app = createApp(yield* Effect.runtime<Services>(), deployment)
    const server = createBoundedServer(app.callback()).listen(port, host)
    yield* Effect.tryPromise({ try: () => once(server, "listening"), catch: (thrown) => thrown })

    // The listeners are installed before the address is printed, because a signal may follow immediately.
    const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")])
    const url = `http://${host}:${Object(server.address()).port}/messages`
    process.stdout.write(`The quickstart (${deployment}) is served at ${url}\n`)
    const secret = deployment === "development" ? yield* mintFirstApiKey : Option.none()
    if (Option.isSome(secret)) {
      const headers = `-H 'Authorization: Bearer ${secret.value}' -H 'Content-Type: application/json'`
      const curl = `curl -sS -w '\\n' ${headers} -d '{"message":"Hello"}' ${url}`
      process.stdout.write(`This API key is shown once. Queue a message:\n\n${curl}\n\n`)
    }

    const isReplaced = yield* Effect.promise(() => Promise.race([stopped, replaced.promise.then(() => true)]))
    yield* Effect.promise(() => server.drain({ idleMillis: 1_000, deadlineMillis: shutdownMillis }))
    // The exit code makes a supervisor start the program again, with the new file.
    if (isReplaced === true) yield* Effect.fail("The store's file was replaced. The next start uses the new one.")
  })
  yield* Effect.provide(serve, Layer.merge(store, nodeCryptography))
})

await Effect.runPromise(
  Effect.catchAll(main, (failure) =>
    Effect.sync(() => {
      process.stderr.write(`petstore-quickstart: ${failure instanceof Error ? failure.message : failure}\n`)
      process.exitCode = 1
    }),
  ),
)
