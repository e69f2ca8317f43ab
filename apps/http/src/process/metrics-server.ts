/**
 * The server for operators: it serves metrics and health on connections that clients cannot occupy. It needs no key, so it
 * listens on loopback.
 */
import type { Server, ServerResponse } from "node:http"
import { Effect, Option, type Scope } from "effect"
import type { Config } from "../config.js"
import type { HttpError } from "../http/error-response.js"
import { healthy, ready } from "../http/handlers/health.js"
import { listen, type NotListening } from "../http/listen.js"
import { createServer } from "../http/node-http.js"

export type MetricsText = () => Promise<{ readonly contentType: string; readonly text: string }>

/** The sources of an operator's metrics and health checks. */
export interface AdminOptions {
  readonly metrics: MetricsText
  /** Returns why the service should get no requests, or `undefined` if it is ready for them. */
  readonly findUnreadiness: () => Promise<Pick<HttpError, "object"> | undefined>
}

const adminServer = ({ metrics, findUnreadiness }: AdminOptions): Server => {
  const responses: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    "/metrics": async (response) => {
      const { contentType, text } = await metrics()
      response.writeHead(200, { "Content-Type": contentType }).end(text)
    },
    "/healthz": (response) => response.writeHead(200, { "Content-Type": "application/json" }).end(healthy),
    "/readyz": async (response) => {
      const failure = (await findUnreadiness())?.object
      const headers = { "Content-Type": "application/json", ...(failure && { "Retry-After": "1" }) }
      response.writeHead(failure?.status ?? 200, headers).end(failure === undefined ? ready : JSON.stringify(failure))
    },
  }
  return createServer(async (request, response) => {
    request.resume()
    const fail = (status: number, headers: Record<string, string> = {}) => response.writeHead(status, headers).end()
    const path = request.url?.split("?", 1)[0] ?? ""
    const answer = Object.hasOwn(responses, path) ? responses[path] : undefined
    if (answer === undefined) fail(404)
    else if (request.method !== "GET" && request.method !== "HEAD") fail(405, { Allow: "GET, HEAD" })
    else {
      try {
        await answer(response)
      } catch {
        fail(500)
      }
    }
  })
}

/** Serves metrics and health while the scope is open, if `ADMIN_PORT` is set. Returns the port. */
export const serveMetrics = (
  { adminPort, adminHost }: Config,
  options: AdminOptions,
): Effect.Effect<Option.Option<number>, NotListening, Scope.Scope> =>
  Option.match(adminPort, {
    onNone: () => Effect.succeedNone,
    onSome: (port) =>
      Effect.gen(function* () {
        const server = adminServer(options)
        const address = yield* listen(server, adminHost, port, "ADMIN_PORT and ADMIN_HOST")
        yield* Effect.addFinalizer(() => Effect.sync(() => void server.close().closeAllConnections()))
        return Option.some(address.port)
      }),
  })
