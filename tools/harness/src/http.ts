/**
 * The client of the sentences: small, and it sends exactly what it is told.
 *
 * `fetch` would tidy a request (a second header of one name, a dot segment, a
 * missing `Host`); what a service does with the untidy ones is the question.
 * Every exchange is recorded, so that a failure can show it.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Answer } from "./answer.ts"
import { Connection } from "./connection.ts"

/** A request; what is left out is what a well-behaved client would send. */
export interface Request {
  readonly method?: string
  /** Relative to the base address: `/pets?limit=1`. */
  readonly path?: string
  /** The request target as sent; wins over `path`. */
  readonly target?: string
  readonly version?: "1.0" | "1.1"
  /** Lines of `Host`; none by an empty array. */
  readonly host?: ReadonlyArray<string>
  /** Lines of `Authorization`; none by an empty array; absent: the valid key. */
  readonly authorization?: ReadonlyArray<string>
  /** Header lines: `X-Request-Id: one`. */
  readonly headers?: ReadonlyArray<string>
  /** Sent with `Content-Length`. */
  readonly body?: string | Uint8Array
  readonly chunks?: ReadonlyArray<string | Uint8Array>
  /** Sent behind the head as it is: no header speaks of it. */
  readonly raw?: string | Uint8Array
  /** `Content-Type`; `null` for none; absent: `application/json` where there is a body. */
  readonly contentType?: string | null
  /** What `Content-Length` says, if not the truth. */
  readonly declaredLength?: number
  /** Keeps the connection open after the answer. */
  readonly keepAlive?: boolean
}

/** Bytes sent, and the answer if one came. */
export interface RecordedExchange {
  readonly request: Buffer
  answer?: Answer
}

/** A 429 that a sentence did not ask for is waited out, up to this. */
const longestWaitSeconds = 70

export class Http {
  /** Where the service is, ending in `/v1`. */
  readonly base: URL
  readonly key: string
  readonly #exchanges: Array<RecordedExchange> = []
  readonly #observe: ((exchange: RecordedExchange) => void) | undefined

  /** `observe` is told every exchange that got an answer, those of other keys included. */
  constructor(base: URL, key: string, observe?: (exchange: RecordedExchange) => void) {
    this.base = base
    this.key = key
    this.#observe = observe
  }

  /** The exchanges so far, oldest first. */
  get exchanges(): ReadonlyArray<RecordedExchange> {
    return this.#exchanges
  }

  /** The path of the base address: `/v1`. */
  get prefix(): string {
    return this.base.pathname
  }

  /** The same client with another key. */
  withKey(key: string): Http {
    return new Http(this.base, key, this.#observe)
  }

  /** Sends one request on a connection of its own, and waits out a rate limit. */
  async send(request: Request = {}): Promise<Answer> {
    const answer = await this.sendOnce(request)
    const wait = Number(answer.header("retry-after"))
    if (answer.status !== 429 || !(wait <= longestWaitSeconds)) return answer
    await sleep((wait + 1) * 1000)
    return this.sendOnce(request)
  }

  /** Sends one request on a connection of its own. */
  sendOnce(request: Request = {}): Promise<Answer> {
    return this.raw(this.encode(request), request.method)
  }

  /** `GET` relative to the base address. */
  get(path: string, request: Request = {}): Promise<Answer> {
    return this.send({ ...request, path })
  }

  /** `POST /pets` with this body. */
  post(body: string | Uint8Array, request: Request = {}): Promise<Answer> {
    return this.send({ method: "POST", path: "/pets", body, ...request })
  }

  /** Sends bytes as they are on a connection of their own, and reads one answer. */
  async raw(bytes: string | Uint8Array, method = "GET"): Promise<Answer> {
    using connection = await this.open()
    return await this.exchange(connection, bytes, method)
  }

  /** Opens a connection; the caller destroys it, or says `using`. */
  open(): Promise<Connection> {
    return Connection.open(this.base)
  }

  /** Sends bytes on this connection and reads one answer from it. */
  async exchange(connection: Connection, request: string | Uint8Array | Request, method?: string): Promise<Answer> {
    const bytes = bytesOf(typeof request === "string" || request instanceof Uint8Array ? request : this.encode(request))
    const exchange: RecordedExchange = { request: bytes }
    this.#exchanges.push(exchange)
    connection.write(bytes)
    exchange.answer = await connection.read(method ?? methodOf(request))
    this.#observe?.(exchange)
    return exchange.answer
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

/** The answers of a list, page after page by their next links, each with its target. The pages are for the caller to check. */
export async function* pagesFrom(
  caller: { readonly send: (request: Request) => Promise<Answer> },
  first: string,
): AsyncGenerator<{ readonly target: string; readonly answer: Answer }> {
  let target: string | undefined = first
  while (target !== undefined) {
    const answer: Answer = await caller.send({ target })
    yield { target, answer }
    target = answer.link("next")
  }
}

const methodOf = (request: string | Uint8Array | Request): string =>
  typeof request === "string" || request instanceof Uint8Array ? "GET" : (request.method ?? "GET")

const bytesOf = (content: string | Uint8Array): Buffer =>
  typeof content === "string" ? Buffer.from(content, "utf8") : Buffer.from(content)

/** A body in chunks, one for each. */
export const chunked = (chunks: ReadonlyArray<string | Uint8Array>): Buffer =>
  Buffer.concat([
    ...chunks.flatMap((chunk) => {
      const bytes = bytesOf(chunk)
      return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]
    }),
    Buffer.from("0\r\n\r\n"),
  ])
