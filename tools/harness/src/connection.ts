/** One connection to the service: sends the exact bytes, and reads the responses one by one. */
import { once } from "node:events"
import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { firstResponse, type Head, readHead, type WireResponse } from "./response.ts"

/** The timeout for a read, in ms. A hung service fails the test of one sentence, but does not block the run. */
const timeoutMillis = 15_000

/** The service closed the connection, or reset it. */
export class ConnectionClosed extends Error {}

export class Connection {
  readonly #socket: Socket
  #buffer = Buffer.alloc(0)
  #ended = false
  #wake: () => void = () => {}

  /** Use {@link Connection.open}. */
  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("data", (bytes: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, bytes])
      this.#wake()
    })
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    socket.on("end", end)
    socket.on("close", end)
    // A reset closes the connection. The reader decides what the reset means.
    socket.on("error", end)
  }

  /** Opens a connection to the host and port of an `http:` or `https:` URL. */
  static async open(url: URL): Promise<Connection> {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    const secure = url.protocol === "https:"
    const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
    const socket = secure
      ? // In TLS, a client sends a host name, never an IP address (RFC 6066 §3).
        connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ALPNProtocols: ["http/1.1"] })
      : connect({ host, port, allowHalfOpen: true })
    const connection = new Connection(socket)
    await once(socket, secure ? "secureConnect" : "connect")
    return connection
  }

  /** Whether the service is known to have closed the connection. */
  get isClosed(): boolean {
    return this.#ended
  }

  /** Sends bytes unchanged. Drops them if the connection is known to be closed. */
  write(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  /** Closes the sending side. Responses can still be read. */
  finish(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  [Symbol.dispose](): void {
    this.destroy()
  }

  /** Whether the service closes this connection without sending another byte. Fails if neither happens before a timeout. */
  async closes(): Promise<boolean> {
    await this.#until(() => this.#ended || this.#buffer.length > 0 || undefined, timeoutMillis)
    return this.#ended && this.#buffer.length === 0
  }

  /** Reads the next response, with the 1xx responses before it. The method matters because a response to HEAD has no body. */
  async read(method = "GET", waitMillis = timeoutMillis): Promise<WireResponse> {
    const { response, length } = await this.#until(() => firstResponse(this.#buffer, () => method, this.#ended), waitMillis)
    this.#buffer = this.#buffer.subarray(length)
    return response
  }

  /** Reads everything until the service closes or resets the connection, within `waitMillis`. */
  async readToEnd(waitMillis: number): Promise<Buffer> {
    await this.#until(() => this.#ended || undefined, waitMillis)
    return this.#buffer
  }

  /** Reads the head of one response, which may be a 1xx response. */
  async readHead(): Promise<Head> {
    const end = await this.#until(() => {
      const at = this.#buffer.indexOf("\r\n\r\n")
      return at < 0 ? undefined : at
    }, timeoutMillis)
    const head = readHead(this.#buffer.toString("latin1", 0, end))
    this.#buffer = this.#buffer.subarray(end + 4)
    return head
  }

  /** Waits until `find` succeeds on the received bytes. Fails if the service closes the connection first, or after a timeout. */
  async #until<A>(find: () => A | undefined, waitMillis: number): Promise<A> {
    const deadline = Date.now() + waitMillis
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      if (this.#ended) throw new ConnectionClosed(`the connection was closed after ${this.#buffer.length} bytes of a response`)
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`no more bytes arrived within ${waitMillis} ms`)
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, left)
      this.#wake = resolve
      await promise
      clearTimeout(timer)
    }
  }
}
