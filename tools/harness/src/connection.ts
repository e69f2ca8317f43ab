/**
 * One connection to the service: sends exactly the bytes it is given, reads
 * the answers one by one.
 *
 * A reader that waits longer than {@link timeoutMillis} gives up, so that a
 * service that hangs fails a sentence and does not stop the run.
 */
import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Answer, framing, type Head, readHead } from "./answer.ts"

const timeoutMillis = 15_000

/** Nothing more comes: the service closed the connection, or broke it. */
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
    // A reset is an end; what it means is checked by who reads.
    socket.on("error", end)
  }

  /** Opens a connection to the host and port of an `http:` or `https:` address. */
  static async open(url: URL): Promise<Connection> {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    const secure = url.protocol === "https:"
    const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
    const socket = secure
      ? // TLS names a host, never an address (RFC 6066 §3).
        connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ALPNProtocols: ["http/1.1"] })
      : connect({ host, port, allowHalfOpen: true })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.once(secure ? "secureConnect" : "connect", resolve)
    socket.once("error", reject)
    await promise
    return new Connection(socket)
  }

  /** Sends bytes as they are. What the service no longer wants to read is dropped. */
  write(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  /** Says that nothing more will be sent; answers can still be read. */
  finish(): void {
    this.#socket.end()
  }

  /** Leaves without a word. */
  destroy(): void {
    this.#socket.destroy()
  }

  /** Whether the service closes this connection, within `waitMillis`, without another byte. */
  async closes(waitMillis = timeoutMillis): Promise<boolean> {
    await this.#until(() => this.#ended || this.#buffer.length > 0, waitMillis)
    return this.#ended && this.#buffer.length === 0
  }

  /**
   * Reads the next answer, the 1xx answers before it included.
   *
   * @param method      of the request it belongs to: an answer to HEAD has no body
   * @param waitMillis  how long to wait for each part
   */
  async read(method = "GET", waitMillis = timeoutMillis): Promise<Answer> {
    const interim: Array<number> = []
    for (;;) {
      const head = await this.readHead(waitMillis)
      if (head.status >= 200) return new Answer(head, interim, await this.#readBody(head, method, waitMillis))
      interim.push(head.status)
    }
  }

  /** Reads one head: a final one or a 1xx. */
  async readHead(waitMillis = timeoutMillis): Promise<Head> {
    const end = await this.#find("\r\n\r\n", waitMillis)
    const head = readHead(this.#take(end).toString("latin1"))
    this.#take(4)
    return head
  }

  async #readBody(head: Head, method: string, waitMillis: number): Promise<Buffer> {
    const how = framing(head, method)
    if (how.kind === "length") {
      await this.#until(() => this.#ended || this.#buffer.length >= how.bytes, waitMillis)
      if (this.#buffer.length < how.bytes) throw new ConnectionClosed(`the answer ${head.status} breaks off in its body`)
      return this.#take(how.bytes)
    }
    if (how.kind === "close") {
      await this.#until(() => this.#ended, waitMillis)
      return this.#take(this.#buffer.length)
    }
    const parts: Array<Buffer> = []
    for (;;) {
      const size = Number.parseInt(this.#take(await this.#find("\r\n", waitMillis)).toString("latin1"), 16)
      this.#take(2)
      await this.#until(() => this.#ended || this.#buffer.length >= size + 2, waitMillis)
      if (Number.isNaN(size) || this.#buffer.length < size + 2) throw new ConnectionClosed("the answer breaks off in a chunk")
      parts.push(this.#take(size))
      this.#take(2)
      if (size === 0) return Buffer.concat(parts)
    }
  }

  #take(bytes: number): Buffer {
    const taken = this.#buffer.subarray(0, bytes)
    this.#buffer = this.#buffer.subarray(bytes)
    return taken
  }

  async #find(text: string, waitMillis: number): Promise<number> {
    await this.#until(() => this.#ended || this.#buffer.includes(text), waitMillis)
    const at = this.#buffer.indexOf(text)
    if (at >= 0) return at
    throw new ConnectionClosed(`the connection was closed after ${this.#buffer.length} bytes of an answer`)
  }

  async #until(enough: () => boolean, waitMillis: number): Promise<void> {
    const deadline = Date.now() + waitMillis
    while (!enough()) {
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`nothing more came within ${waitMillis} ms`)
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, left)
      this.#wake = resolve
      await promise
      clearTimeout(timer)
    }
  }
}
