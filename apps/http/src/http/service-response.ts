/** Extends Node's `ServerResponse`: it writes its own head, and reports to its connection when it has been sent. */
import type { IncomingMessage, OutgoingHttpHeaders, OutgoingMessage } from "node:http"
import type { Socket } from "node:net"
import type { HttpError } from "./error-response.js"
import type { HeaderList } from "./exchange.js"
import type { ResponseSize } from "./memory.js"
import { ServerResponse } from "./node-http.js"
import { headText } from "./response/head.js"

/** A response's connection. */
interface Owner {
  /** Called when the response has been sent. */
  readonly answered: () => void
  /** Called before the response's head is written, while the head can still announce that the connection closes. */
  readonly heading: (answer: ServiceResponse) => void
  /** Records how many bytes the response holds from now on, or is expected to hold. */
  readonly holds: (answer: ServiceResponse, bytes: number) => void
}

/** A response's `Content-Length`. Without it, a client cannot find the start of the next response (RFC 9112 §6.3). */
const toldLength = (headers: HeaderList): string | undefined => {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === "Content-Length") return headers[at + 1]
  return undefined
}

/** Headers that were set one by one, for example with `ctx.set`. */
const listOf = (headers: OutgoingHttpHeaders): HeaderList =>
  Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, String(one)]))

/** Members of Node that its types leave out. */
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as {
  readonly _storeHeader: (this: OutgoingMessage, statusLine: string, headers: unknown) => void
}

export class ServiceResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  // Undocumented members of Node: the head, whether it has a body, whether it is the last, and whether to send `100 Continue`.
  declare _header: string | null
  declare _hasBody: boolean
  declare _last: boolean
  declare _expect_continue: boolean | undefined
  /** Unset until the connection has accepted the request. */
  owner: Owner | undefined = undefined
  /** Why the request will be refused. */
  failure: HttpError | undefined = undefined
  /** How many bytes the connection counts for this response, and for its request. */
  heldBytes = 0
  requestBytes = 0
  /** The expected length of the operation's responses. */
  size: ResponseSize | undefined = undefined
  /** How long the connection is kept open after the response, in ms. */
  keepAliveMillis = 0

  /**
   * Node calls this in `writeHead`. Its own version inspects each header three times. Our values either come from this program or
   * have been checked for line breaks.
   */
  _storeHeader(statusLine: string, headers: unknown): void {
    // Safe: `writeHead` gets a list, or only the headers that were set before.
    const list = Array.isArray(headers) ? (headers as HeaderList) : listOf(this.getHeaders())
    const bodyLength = toldLength(list)
    if (this.owner !== undefined) {
      const bytes = this._hasBody ? Number(bodyLength ?? 0) : 0
      this.owner.heading(this)
      this.owner.holds(this, bytes)
      this.size?.learn(bytes)
    }
    if (this._hasBody && bodyLength === undefined && !this.hasHeader("Content-Length")) {
      if (Array.isArray(headers)) throw new Error("a response has a body but no Content-Length")
      // Middleware responds with a stream, whose length is unknown.
      storeHeader.call(this, statusLine, headers)
      return
    }
    this.chunkedEncoding = false
    // The response is already the last one if the client has ended its side.
    this._last ||= !this.shouldKeepAlive
    this._header = headText(statusLine, list, this.shouldKeepAlive ? this.keepAliveMillis : 0)
  }

  /** Node calls this when the whole response has been handed to the network, before the next response. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket)
    this.owner?.answered()
  }
}
