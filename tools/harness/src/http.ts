/** Sends requests unchanged: `fetch` would normalise a repeated header, a dot segment or a missing `Host`. Records exchanges. */
import { setTimeout as sleep } from "node:timers/promises"
import { Connection } from "./connection.ts"
import type { WireResponse } from "./response.ts"

/** A request. Absent members default to those of a well-behaved client. */
export interface Request {
  readonly method?: string
  /** Relative to the base URL: `/pets?limit=1`. */
  readonly path?: string
  /** The request target as sent. It overrides `path`. */
  readonly target?: string
  readonly version?: "1.0" | "1.1"
  /** The values of the `Host` headers. An empty array sends no such header. */
  readonly host?: ReadonlyArray<string>
  /** The values of the `Authorization` headers. An empty array sends no such header. The default is the valid key. */
  readonly authorization?: ReadonlyArray<string>
  /** Header lines: `X-Request-Id: one`. */
  readonly headers?: ReadonlyArray<string>
  /** Sent with `Content-Length`. */
  readonly body?: string | Uint8Array
  readonly chunks?: ReadonlyArray<string | Uint8Array>
  /** Sent unchanged after the head, without a header for its length or coding. */
  readonly raw?: string | Uint8Array
  /** The `Content-Type`. `null` sends none. The default is `application/json` if there is a body. */
  readonly contentType?: string | null
  /** A wrong `Content-Length`. */
  readonly declaredLength?: number
  readonly keepAlive?: boolean
}

/** A request, or the exact bytes to send. */
export type Message = Request | string | Uint8Array

export interface RecordedExchange {
  readonly request: Buffer
  response?: WireResponse
}

/** The longest wait after an unexpected 429. */
const longestWaitSeconds = 70

export class Http {
  /** The service's base URL, which ends in `/v1`. */
  readonly base: URL
  readonly key: string
  readonly exchanges: Array<RecordedExchange> = []
  readonly #observe: ((exchange: Required<RecordedExchange>) => void) | undefined

  /** `observe` is called with every exchange that has a response, including exchanges with other keys. */
  constructor(base: URL, key: string, observe?: (exchange: Required<RecordedExchange>) => void) {
    this.base = base
    this.key = key
    this.#observe = observe
  }

  get prefix(): string {
    return this.base.pathname
  }

  withKey(key: string): Http {
    return new Http(this.base, key, this.#observe)
  }

  /** Sends one request on a new connection. After a 429 with a short `Retry-After`, waits and sends the request again. */
  async send(request: Message = {}): Promise<WireResponse> {
    const response = await this.sendOnce(request)
    const wait = Number(response.header("retry-after"))
    if (response.status !== 429 || !(wait <= longestWaitSeconds)) return response
    await sleep((wait + 1) * 1000)
    return this.sendOnce(request)
  }

  async sendOnce(request: Message = {}): Promise<WireResponse> {
    using connection = await this.open()
    return await this.exchange(connection, request)
  }

  get(path: string, request: Request = {}): Promise<WireResponse> {
    return this.send({ ...request, path })
  }

  post(body: string | Uint8Array, request: Request = {}): Promise<WireResponse> {
    return this.send({ method: "POST", path: "/pets", body, ...request })
  }

  /** Opens a connection. The caller destroys it, or declares it with `using`. */
  open(): Promise<Connection> {
    return Connection.open(this.base)
  }

  async exchange(connection: Connection, request: Message, method?: string): Promise<WireResponse> {
    const isEncoded = typeof request === "string" || request instanceof Uint8Array
    const bytes = isEncoded ? bytesOf(request) : this.encode(request)
    const exchange: RecordedExchange = { request: bytes }
    this.exchanges.push(exchange)
    connection.write(bytes)
    const response = await connection.read(method ?? (isEncoded ? undefined : request.method))
    exchange.response = response
    this.#observe?.({ request: bytes, response })
    return response
  }

  encode(request: Request): Buffer {
    const content = request.chunks === undefined ? bytesOf(request.raw ?? request.body ?? "") : chunked(request.chunks)
    const sendsBody = request.body !== undefined || request.chunks !== undefined
    const type = request.contentType === undefined ? (sendsBody ? "application/json" : null) : request.contentType
    const length = request.declaredLength ?? (sendsBody && request.chunks === undefined ? content.length : undefined)
    const lines = [
      `${request.method ?? "GET"} ${request.target ?? this.prefix + (request.path ?? "/pets")} HTTP/${request.version ?? "1.1"}`,
      ...(request.host ?? [this.base.host]).map((value) => `Host: ${value}`),
      ...(request.authorization ?? [`Bearer ${this.key}`]).map((value) => `Authorization: ${value}`),
      ...(type === null ? [] : [`Content-Type: ${type}`]),
      ...(length === undefined ? [] : [`Content-Length: ${length}`]),
      ...(request.chunks === undefined ? [] : ["Transfer-Encoding: chunked"]),
      ...(request.keepAlive === true ? [] : ["Connection: close"]),
      ...(request.headers ?? []),
    ]
    return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), content])
  }
}

/** Yields the responses for all pages of a list, each with its target. Follows the next links. The caller checks the pages. */
export async function* pagesFrom(
  caller: { readonly send: (request: Request) => Promise<WireResponse> },
  first: string,
): AsyncGenerator<{ readonly target: string; readonly response: WireResponse }> {
  let target: string | undefined = first
  while (target !== undefined) {
    const response: WireResponse = await caller.send({ target })
    yield { target, response }
    target = response.link("next")
  }
}

const bytesOf = (content: string | Uint8Array): Buffer =>
  typeof content === "string" ? Buffer.from(content, "utf8") : Buffer.from(content)

export const chunked = (chunks: ReadonlyArray<string | Uint8Array>): Buffer =>
  Buffer.concat([
    ...chunks.flatMap((chunk) => {
      const bytes = bytesOf(chunk)
      return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]
    }),
    Buffer.from("0\r\n\r\n"),
  ])
