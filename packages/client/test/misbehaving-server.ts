/** A real HTTP server with scripted responses. Each request gets the next response, and the last response repeats. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it arrived. */
interface Arrived {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly atMillis: number
}

type Response = Parameters<RequestListener>[1]
export type Answer = (response: Response) => void

interface MisbehavingServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly arrived: ReadonlyArray<Arrived>
}

/** Responds with a status and a body: an object as JSON, a string unchanged. */
export const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}, encoding: BufferEncoding = "utf8"): Answer =>
  (response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body), encoding)
  }

/** Responds with an Error object. */
export const errorAnswer = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  answer(status, { code, message: "It failed.", status }, headers)

/** Drops the connection instead of responding. */
export const drop: Answer = (response) => response.socket?.destroy()

/** Starts to respond, then drops the connection. */
export const dropHalfway: Answer = (response) => {
  response.writeHead(201, { "Content-Length": "100" })
  response.write('{"id":1,', () => response.socket?.destroy())
}

/** Never responds. */
export const hang: Answer = () => undefined

export const startMisbehaving = async (...responses: ReadonlyArray<Answer>): Promise<MisbehavingServer> => {
  const arrived: Array<Arrived> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      const { method, url, headers } = request
      const next = responses[Math.min(arrived.length, responses.length - 1)]
      arrived.push({ method, url, headers, body, atMillis: performance.now() })
      next?.(response)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // Safe: a server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    arrived,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}
