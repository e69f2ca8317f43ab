/** A client with one connection, which it reopens if the connection is lost. */
import type { Connection } from "./connection.ts"
import { Http, type Request } from "./http.ts"
import type { WireResponse } from "./response.ts"

/** The timeout for a response, in ms: longer than any response takes on a busy machine. */
const patienceMillis = 60_000

export class Client {
  readonly http: Http
  #connection: Connection | undefined

  constructor(baseUrl: string | URL, key: string) {
    this.http = new Http(new URL(baseUrl), key)
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  async open(): Promise<Connection> {
    this.#connection ??= await this.http.open()
    return this.#connection
  }

  /** Discards the connection if the service has closed it since the last response. */
  forgetClosed(): void {
    if (this.#connection?.isClosed === true) this.close()
  }

  async write(...requests: ReadonlyArray<Request>): Promise<void> {
    const bytes = requests.map((request) => this.http.encode({ ...request, keepAlive: true }))
    const connection = await this.open()
    connection.write(Buffer.concat(bytes))
  }

  /** Reads the next response, and closes the connection after the last one. Fails after a timeout or a lost connection. */
  async read(method?: string): Promise<WireResponse> {
    try {
      const response = await (await this.open()).read(method, patienceMillis)
      if (response.isLast) this.close()
      return response
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  async send(request: Request): Promise<WireResponse> {
    await this.write(request)
    return this.read(request.method)
  }

  close(): void {
    this.#connection?.destroy()
    this.#connection = undefined
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
