/** The operator's own listener: `GET /metrics`, and nothing else. It is not for callers: it needs no key and listens on loopback. */
import type { Server } from "node:http"
import { Effect, Option, type Scope } from "effect"
import type { Config } from "../config.js"
import { listen, type NotListening } from "../http/listen.js"
import { createServer } from "../http/node-http.js"

export type MetricsText = () => Promise<{ readonly contentType: string; readonly text: string }>

const adminServer = (metrics: MetricsText): Server =>
  createServer((request, response) => {
    request.resume()
    const fail = (status: number, headers: Record<string, string> = {}) => response.writeHead(status, headers).end()
    if (request.url?.split("?", 1)[0] !== "/metrics") fail(404)
    else if (request.method !== "GET" && request.method !== "HEAD") fail(405, { Allow: "GET, HEAD" })
    else {
      metrics().then(
        ({ contentType, text }) => response.writeHead(200, { "Content-Type": contentType }).end(text),
        () => fail(500),
      )
    }
  })

/** Serves the metrics for as long as the scope lasts, if `ADMIN_PORT` is set. Answers the port. */
export const serveMetrics = (
  { adminPort, adminHost }: Config,
  metrics: MetricsText,
): Effect.Effect<Option.Option<number>, NotListening, Scope.Scope> =>
  Option.match(adminPort, {
    onNone: () => Effect.succeedNone,
    onSome: (port) =>
      Effect.gen(function* () {
        const server = adminServer(metrics)
        const address = yield* listen(server, adminHost, port, "ADMIN_PORT and ADMIN_HOST")
        yield* Effect.addFinalizer(() => Effect.sync(() => void server.close().closeAllConnections()))
        return Option.some(address.port)
      }),
  })
