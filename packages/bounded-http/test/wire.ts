/** A bounded server with a test's listener. */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { onTestFinished } from "vitest"
import { headerLines } from "../src/head.js"
import type { Limits } from "../src/limits.js"
import { writeLines } from "../src/response.js"
import { type BoundedServer, type BoundedServerOptions, createBoundedServer } from "../src/server.js"

/** A request that the server has passed to its listener. */
export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Responds with 200 and a body. */
  readonly answer: (body?: string) => void
}

export interface Wire {
  readonly server: BoundedServer
  readonly port: number
  /** Every request that ran, in order. */
  readonly asked: Array<Asked>
  readonly sockets: Array<Socket>
  /** Connections that closed before their last response. */
  readonly closed: Array<readonly [reason: string, ...unanswered: ReadonlyArray<string>]>
}

/** Starts a server. `onRequest` gets every request when the request runs. Without `onRequest`, the test has to respond. */
export const startWire = async (
  { budget, ...limits }: Partial<Limits> & Pick<BoundedServerOptions, "budget"> = {},
  onRequest?: (asked: Asked) => void,
): Promise<Wire> => {
  const asked: Array<Asked> = []
  const sockets: Array<Socket> = []
  const closed: Wire["closed"] = []
  const server = createBoundedServer(
    (request, response) => {
      const answer = (body = request.url ?? ""): void => {
        const bytes = Buffer.byteLength(body)
        writeLines(response, response.statusCode, headerLines(["Content-Length", String(bytes)]), bytes)
        response.end(body)
      }
      const one = { request, response, answer }
      asked.push(one)
      onRequest?.(one)
    },
    {
      limits: { connectionLimit: 1_000, ...limits },
      alwaysServe: ["/healthz", "/readyz"],
      isLean: true,
      reserves: true,
      observe: (reason, unanswered) => closed.push([reason, ...unanswered]),
      ...(budget === undefined ? {} : { budget }),
    },
  )
  server.on("connection", (socket: Socket) => sockets.push(socket))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  // Safe: a server that listens on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  return { server, port, asked, sockets, closed }
}
