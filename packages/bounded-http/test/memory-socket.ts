/** A socket without a network or delays, to observe what a connection does. */
import { type Socket, Socket as UnconnectedSocket } from "node:net"
import { Duplex } from "node:stream"
import { BoundedRequest } from "../src/node.js"
import { BoundedResponse } from "../src/response.js"

export class MemorySocket extends Duplex {
  bytesRead = 0
  bytesWritten = 0
  sent = ""
  /** Whether sent bytes stay in the buffers, as with a client that does not read. */
  isStuck = false

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent += chunk.toString()
    this.bytesWritten += chunk.length
    if (!this.isStuck) done()
  }

  /** Receives bytes from the client. */
  arrive(text: string): void {
    this.bytesRead += text.length
    this.push(text)
  }

  get asSocket(): Socket {
    // Safe: a connection uses only these members and those of every stream.
    return this as unknown as Socket
  }
}

export interface RequestOptions {
  readonly method?: string
  readonly httpVersionMinor?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the request's body is complete. */
  readonly complete?: boolean
}

/** A request as Node's parser emits it, and its response. */
export const requestOf = ({ method = "GET", httpVersionMinor = 1, headers = {}, complete = true }: RequestOptions = {}) => {
  const request = Object.assign(new BoundedRequest(new UnconnectedSocket()), {
    method,
    url: "/",
    httpVersion: `1.${httpVersionMinor}`,
    httpVersionMajor: 1,
    httpVersionMinor,
    complete,
    headers: { host: "a", ...headers },
  })
  return { request, response: new BoundedResponse(request) }
}
