/** A real receiver on loopback that keeps what arrived, and responds as the test decides. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"

export interface Received {
  readonly headers: IncomingMessage["headers"]
  readonly payload: string
  readonly id: string
  /** The name of the pet that the change is about. */
  readonly name: string
}

type Respond = (response: ServerResponse, received: Received, count: number) => void

export const accept: Respond = (response) => void response.writeHead(204).end()

export const openReceiver = async () => {
  const received: Array<Received> = []
  let respond = accept
  const server = createServer(async (request, response) => {
    const payload = await text(request)
    const { data } = JSON.parse(payload)
    const name = (data.after ?? data.before)?.pet?.name
    const one = { headers: request.headers, payload, id: String(request.headers["webhook-id"]), name }
    received.push(one)
    respond(response, one, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // Safe: the server listens on TCP.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    names: () => received.map(({ name }) => name),
    respondWith: (to: Respond) => {
      respond = to
    },
  }
}
