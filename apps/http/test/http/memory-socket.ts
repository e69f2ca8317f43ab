/** A socket without a network: what a connection of the service does to it can be seen, and nothing takes time. */
import { IncomingMessage } from "node:http"
import { type Socket, Socket as UnconnectedSocket } from "node:net"
import { Duplex } from "node:stream"
import { ServiceResponse } from "../../src/http/service-response.js"

export class MemorySocket extends Duplex {
  bytesRead = 0
  bytesWritten = 0
  sent = ""
  /** Whether what is sent stays in the buffers, as with a caller that does not read. */
  isStuck = false

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent += chunk.toString()
    this.bytesWritten += chunk.length
    if (!this.isStuck) done()
  }

  /** Bytes come from the caller. */
  arrive(text: string): void {
    this.bytesRead += text.length
    this.push(text)
  }

  get asSocket(): Socket {
    // Safe: a connection uses what is here and what every stream has.
    return this as unknown as Socket
  }
}

export interface RequestOptions {
  readonly method?: string
  readonly httpVersionMinor?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Whether its body has come to its end. */
  readonly complete?: boolean
}

/** A request as Node's parser tells of it, and the answer that waits for it. */
export const requestOf = ({ method = "GET", httpVersionMinor = 1, headers = {}, complete = true }: RequestOptions = {}) => {
  const request = Object.assign(new IncomingMessage(new UnconnectedSocket()), {
    ...{ method, url: "/", httpVersion: `1.${httpVersionMinor}`, httpVersionMajor: 1, httpVersionMinor, complete },
    headers: { host: "a", ...headers },
  })
  return { request, response: new ServiceResponse(request) }
}
