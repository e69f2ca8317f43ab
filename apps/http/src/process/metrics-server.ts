/**
 * The server for operators: it serves metrics and health on connections that clients cannot occupy. It needs no key, so it
 * listens on loopback by default. It applies the API's network limits, but has its own memory budget.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type BoundedServer, createBoundedServer, type HeaderList } from "@petstore/bounded-http"
import { Effect } from "effect"
import type { Config } from "../config.js"
import type { HttpError } from "../http/error-response.js"
import { healthy, ready } from "../http/handlers/health.js"
import { listen } from "../http/listen.js"
import { jsonType } from "../http/response/send.js"

/** The maximum number of open connections. One more closes the oldest one, so that a flood cannot block health checks. */
const connectionLimit = 256
/** The memory for requests, for bytes that wait for the parser, which may take a quarter, and for responses of about 25 kB. */
const budgetBytes = connectionLimit * 32_768
/** The pause between two readings of the metrics or of the readiness, in ms. A reading of the metrics leaves 800 kB of garbage. */
const pauseMillis = 250

export interface AdminOptions {
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
  /** Returns why the service should get no requests, or `undefined` if it is ready for them. */
  readonly findUnreadiness: () => Promise<Pick<HttpError, "object"> | undefined>
}

type AdminConfig = Pick<Config, "adminPort" | "adminHost" | "headMillis" | "requestMillis" | "readMillis" | "keepAliveMillis">

interface AdminResponse {
  readonly status: number
  readonly headers: HeaderList
  readonly body: string | Buffer
}

/** Calls that overlap share one reading, so that thousands of requests cost as much as one. */
const shared = <A>(read: () => Promise<A>): (() => Promise<A>) => {
  let reading: Promise<A> | undefined
  let allowedAtMillis = 0
  const start = async (): Promise<A> => {
    await sleep(Math.max(0, allowedAtMillis - performance.now()), undefined, { ref: false })
    try {
      return await read()
    } finally {
      allowedAtMillis = performance.now() + pauseMillis
      reading = undefined
    }
  }
  return () => {
    reading ??= start()
    return reading
  }
}

const adminServer = ({ metrics, findUnreadiness }: AdminOptions, config: AdminConfig): BoundedServer => {
  const readMetrics = shared(async () => {
    const { contentType, text } = await metrics()
    // As bytes, which the responses share. Node would encode a text for each of them.
    return { headers: ["Content-Type", contentType], body: Buffer.from(text) }
  })
  const readUnreadiness = shared(findUnreadiness)
  const answers: Readonly<Record<string, () => AdminResponse | Promise<AdminResponse>>> = {
    "/metrics": async () => ({ status: 200, ...(await readMetrics()) }),
    "/healthz": () => ({ status: 200, headers: jsonType, body: healthy }),
    "/readyz": async () => {
      const failure = (await readUnreadiness())?.object
      if (failure === undefined) return { status: 200, headers: jsonType, body: ready }
      return { status: failure.status, headers: [...jsonType, "Retry-After", "1"], body: JSON.stringify(failure) }
    },
  }
  const empty = (status: number, ...headers: HeaderList): AdminResponse => ({ status, headers, body: "" })
  const answerTo = async (method: string | undefined, url: string | undefined): Promise<AdminResponse> => {
    const path = url?.split("?", 1)[0] ?? ""
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    if (answer === undefined) return empty(404)
    if (method !== "GET" && method !== "HEAD") return empty(405, "Allow", "GET, HEAD")
    try {
      return await answer()
    } catch {
      return empty(500)
    }
  }
  return createBoundedServer(
    async (request, response) => {
      request.resume()
      const { status, headers, body } = await answerTo(request.method, request.url)
      response.writeHead(status, [...headers, "Content-Length", String(Buffer.byteLength(body))]).end(body)
    },
    {
      // One response at a time on each connection.
      limits: { ...config, budgetBytes, connectionLimit, pipelineLimit: 1, unreadLimitBytes: 0, connectionBudgetBytes: 0 },
      closesOldest: true,
      isLean: true,
    },
  )
}

/** Serves metrics and health while the scope is open, if `ADMIN_PORT` is set. Returns the port. */
export const serveMetrics = (config: AdminConfig, options: AdminOptions) =>
  Effect.transposeMapOption(config.adminPort, (port) =>
    Effect.gen(function* () {
      const server = adminServer(options, config)
      const address = yield* listen(server, config.adminHost, port, "ADMIN_PORT or ADMIN_HOST")
      yield* Effect.addFinalizer(() => Effect.promise(() => server.drain({ idleMillis: 0, deadlineMillis: 0 })))
      return address.port
    }),
  )
