/**
 * Serves agents over Streamable HTTP on this machine. Any local program and any web page could reach the port and act with the API
 * key, so each request needs a token, and must name this machine as its host and, from a page, as its origin.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { createBoundedServer } from "@petstore/bounded-http"

const path = "/mcp"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const refuse = (
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void => void response.writeHead(status, { "Content-Type": "text/plain", ...headers }).end(`${message}\n`)

/** Each request gets a server of its own, because the tools keep nothing between requests. */
const respond = async (createServer: () => Server, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const server = createServer()
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once("close", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response)
}

/** Listens. Resolves with the address, and the token that requests have to send. */
export const serveHttp = async (
  createServer: () => Server,
  port: number,
): Promise<{ readonly url: string; readonly token: string }> => {
  const token = randomBytes(24).toString("base64url")
  const expected = digest(`Bearer ${token}`)
  let hosts: ReadonlyArray<string> = []
  const server = createBoundedServer((request, response) => {
    const { authorization = "", host = "", origin } = request.headers
    if (!hosts.includes(host) || (origin !== undefined && !hosts.some((one) => origin === `http://${one}`)))
      return refuse(response, 403, "The Host and Origin of a request must be this machine's.")
    if (!timingSafeEqual(digest(authorization), expected))
      return refuse(response, 401, "Send the token that petstore-mcp has printed.", { "WWW-Authenticate": "Bearer" })
    if (request.url !== path) return refuse(response, 404, `The server is at ${path}.`)
    if (request.method !== "POST") return refuse(response, 405, "Send POST.", { Allow: "POST" })
    respond(createServer, request, response).catch((thrown: unknown) => {
      process.stderr.write(`${thrown instanceof Error ? thrown.stack : thrown}\n`)
      if (response.headersSent) response.destroy()
      else refuse(response, 500, "Unexpected failure.")
    })
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const { port: actual } = Object(server.address())
  hosts = [`127.0.0.1:${actual}`, `localhost:${actual}`]
  process.once("SIGTERM", () => server.drain({ idleMillis: 1_000, deadlineMillis: 10_000 }))
  return { url: `http://127.0.0.1:${actual}${path}`, token }
}
