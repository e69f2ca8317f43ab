/**
 * Everything that this package uses of Node beyond its documentation. No other file may (`npm run check -- internals`), and
 * `test/node.test.ts` fails if Node changes one of them. `docs/decisions/0052-node-beyond-its-documentation.md` gives the reasons.
 */
import type { Server as HttpServer, IncomingMessage } from "node:http"
import { Socket } from "node:net"

/** The server part of `node:http`. An import would load every name's modules, even `WebSocket`'s: a sixth of the start time. */
export const {
  createServer,
  IncomingMessage: NodeRequest,
  Server,
  ServerResponse,
  STATUS_CODES,
} = process.getBuiltinModule("node:http")

/** The most names and values of trailers that a request keeps. More are discarded, as RFC 9110 §6.5.1 allows: no budget counts them. */
const trailerTexts = 128

/** A request whose body can come by another way, and fail while its connection stays open for the response. */
export class BoundedRequest extends NodeRequest {
  failsAlone = false
  /** Receives the body's chunks, and null at its end, instead of the request itself. */
  bodyTo: ((chunk: Buffer | null) => boolean) | undefined = undefined
  ignoresEnd = false

  /** Node's own method would destroy the connection too. It is documented for streams: `readable._destroy`. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.failsAlone) done(this.listenerCount("error") > 0 ? error : null)
    else super._destroy(error, done)
  }

  /** Node calls this, as documented for streams, with each chunk of the body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (this.ignoresEnd) return true
    if (chunk === null && this.rawTrailers.length > trailerTexts) Object.assign(this, { trailers: {}, rawTrailers: [] })
    return this.bodyTo === undefined ? super.push(chunk) : this.bodyTo(chunk)
  }
}

// These are not methods, because a listener may have given the request another prototype.

/** Adds to the request itself. */
export const pushHere = (request: BoundedRequest, chunk: Buffer | null): boolean =>
  Reflect.apply(NodeRequest.prototype.push, request, [chunk])

/** Ignores the end of the message at which the parser stops. */
export const ignoreEnd = (request: BoundedRequest): void => {
  request.ignoresEnd = true
}

/** Continues after an ignored end. */
export const reopen = (request: BoundedRequest): void => {
  if (!request.ignoresEnd) return
  request.ignoresEnd = false
  request.complete = false
}

/** Lets a request get its body from another message. */
export const takeBodyOf = (request: BoundedRequest, message: BoundedRequest): void => {
  message.bodyTo = (chunk) => {
    if (chunk === null) Object.assign(request, { complete: true, trailers: message.trailers, rawTrailers: message.rawTrailers })
    return request.push(chunk)
  }
}

/**
 * Passes a body's chunks to `take` as they come, and then calls `end`, without the request's stream, whose events would take as
 * long as parsing the head. The request's `error` event still tells that the body will not be complete. Returns `false`, and does
 * nothing, if the body goes another way: if it is chunked, or has begun, or if its stream already has a reader.
 */
export const takeBody = (request: IncomingMessage, take: (chunk: Buffer) => void, end: () => void): boolean => {
  const isFree = request instanceof BoundedRequest && request.bodyTo === undefined
  const isRead = request.readableFlowing !== null || request.readableLength > 0
  if (!isFree || isRead || request.complete || request.destroyed) return false
  request.bodyTo = (chunk) => {
    if (chunk !== null) {
      take(chunk)
      return true
    }
    const acceptsMore = pushHere(request, null)
    end()
    return acceptsMore
  }
  return true
}

/** Node calls this after parsing a head. The result 0 means continue, and 2 means an upgrade to another protocol. */
type Incoming = (request: BoundedRequest, shouldKeepAlive: boolean) => number

export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

/** Node calls this after parsing, with the number of parsed bytes or the error. */
type Execute = (parsed: number | ParserError) => void

/** Node's parser. */
interface RawParser {
  onIncoming: Incoming
  /** Names and values of the header lines in an unfinished head, except for the last 32 lines. */
  _headers: Array<string>
  readonly execute: (bytes: Buffer) => number | ParserError
  /** A copy of the current input. */
  readonly getCurrentBuffer: () => Buffer
  readonly constructor: { readonly kOnExecute: number }
  [at: number]: Execute
}

/** Members of Node's sockets that Node's types omit. */
interface RawSocket extends Socket {
  readonly parser?: RawParser | null
  /** Reads into this buffer, and passes no data to JavaScript. */
  readonly _handle?: { readonly useUserBuffer?: (bytes: Uint8Array) => void } | null
}

/** Safe: every socket of a server has these members, which are optional where a test's socket has none. */
const raw = (socket: Socket): RawSocket => socket as RawSocket

/** Whether Node's parser reads from the socket by itself: until a second reader is added, unless Node has another kind of stream. */
const isReadByParser = (socket: Socket): boolean =>
  socket instanceof Socket && !("encrypted" in socket) && socket.listenerCount("data") === 1 && !socket.listenerCount("readable")

/** The parser of one connection, which reads from the socket by itself. */
export class NodeParser {
  /** Ends a message at its head. */
  static readonly stop = 2
  readonly #socket: RawSocket
  readonly #parser: RawParser
  readonly #at: number
  readonly #executed: Execute

  private constructor(socket: RawSocket, parser: RawParser, at: number, executed: Execute) {
    this.#socket = socket
    this.#parser = parser
    this.#at = at
    this.#executed = executed
  }

  /** `undefined` if the parser does not read from the socket directly, as with TLS: Node then passes bytes on and drops the rest. */
  static of(socket: Socket): NodeParser | undefined {
    const { parser } = raw(socket)
    if (!parser || !isReadByParser(socket)) return undefined
    const at = parser.constructor.kOnExecute
    const executed = parser[at]
    return executed === undefined ? undefined : new NodeParser(raw(socket), parser, at, executed)
  }

  /** Calls `onHead` with Node's own callback for each head, and `onParsed` with Node's own after each piece of input. */
  intercept(
    onHead: (next: Incoming, request: BoundedRequest, shouldKeepAlive: boolean) => number,
    onParsed: (next: Execute, parsed: number | ParserError) => void,
  ): void {
    const { onIncoming } = this.#parser
    this.#parser.onIncoming = (request, shouldKeepAlive) => onHead(onIncoming, request, shouldKeepAlive)
    this.#parser[this.#at] = (parsed) => onParsed(this.#executed, parsed)
  }

  /** Whether the connection still has this parser. Node detaches it at the end, and reuses it for another connection. */
  get isAttached(): boolean {
    return this.#socket.parser === this.#parser && !this.#socket.destroyed
  }

  get readsSocket(): boolean {
    return isReadByParser(this.#socket)
  }

  /** The input that Node is parsing. */
  get input(): Buffer {
    return this.#parser.getCurrentBuffer()
  }

  /** The number of names and values in an unfinished head that the parser keeps. */
  get unfinishedTexts(): number {
    return this.#parser._headers.length
  }

  /** Parses bytes that did not come from the socket just now. */
  parse(bytes: Buffer): number | ParserError {
    return this.#parser.execute(bytes)
  }

  /** What Node does after parsing. */
  parsed(bytes: number): void {
    this.#executed(bytes)
  }

  /** Forgets an unfinished head. */
  reset(): void {
    if (this.#socket.parser === this.#parser) this.#parser._headers = []
  }
}

export class NodeResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  declare _header: string | null

  /** Node calls this for an implicit head too. */
  override writeHead(statusCode: number, ...given: ReadonlyArray<unknown>): this {
    if (!this.headersSent) {
      this.statusCode = statusCode
      this.beforeHead(given.at(-1))
    }
    return Reflect.apply(super.writeHead, this, [statusCode, ...given])
  }

  /** Called with the headers of `writeHead`, before Node writes the head. */
  protected beforeHead(_headers: unknown): void {}
}

/** Statuses of responses without a body (RFC 9110 §6.4.1). */
const bodiless: ReadonlySet<number> = new Set([204, 304])

export const hasBody = ({ req, statusCode }: Pick<NodeResponse, "req" | "statusCode">): boolean =>
  req.method !== "HEAD" && !bodiless.has(statusCode)

/** Gives a response its complete head. Node's `writeHead` inspects each header three times. */
export const setHead = (response: NodeResponse, head: string): void => {
  response._header = head
}

/** Whether the connection ends after this response, as the parser or {@link makeLast} has decided. */
export const isLast = (response: NodeResponse): boolean => !response.shouldKeepAlive

export const makeLast = (response: NodeResponse): void => {
  response.shouldKeepAlive = false
}

const members = new WeakMap<object, PropertyDescriptorMap>()

/** The members of our classes, without those of Node's. */
const membersOf = (prototype: object): PropertyDescriptorMap => {
  if (prototype === NodeRequest.prototype || prototype === ServerResponse.prototype) return {}
  const { constructor: _, ...own } = Object.getOwnPropertyDescriptors(prototype)
  const all = members.get(prototype) ?? { ...membersOf(Object.getPrototypeOf(prototype)), ...own }
  members.set(prototype, all)
  return all
}

/** Makes its class's members an object's own, so that it keeps them if it gets another prototype. */
export const keepMembers = (object: IncomingMessage | NodeResponse, prototype: object = Object.getPrototypeOf(object)): void =>
  void Object.defineProperties(object, membersOf(prototype))

/** Whether a listener gives requests and responses another prototype, as Express does. */
let isReplacing = false

/** Called after a response, because a listener may replace prototypes later than in its first tick. */
export const watchPrototype = (response: NodeResponse): void => {
  isReplacing ||= !(response instanceof NodeResponse)
}

/** Runs a listener. The request and the response keep their members whatever it does to their prototypes. */
export const runKeeping = <Response extends NodeResponse>(
  run: (request: IncomingMessage, response: Response) => void,
  response: Response,
): void => {
  const { req } = response
  const prototype = Object.getPrototypeOf(response)
  if (isReplacing) {
    keepMembers(req, BoundedRequest.prototype)
    keepMembers(response)
  }
  run(req, response)
  if (isReplacing || Object.getPrototypeOf(response) === prototype) return
  isReplacing = true
  keepMembers(req, BoundedRequest.prototype)
  keepMembers(response, prototype)
}

/** Clients may end their sending side and wait for their responses. */
export const allowHalfOpen = (server: HttpServer): void => void Object.assign(server, { httpAllowHalfOpen: true })

/** Calls `end` where Node would close the connection after its last response, without waiting for the client to read it. */
export const insteadOfClosing = (socket: Socket, end: () => void): void => {
  socket.destroySoon = end
}

/** Pauses the stream, and tells Node again, which is still reading if the stream was paused between a `resume` and its event. */
export const stopReading = (socket: Socket): void => void socket.pause().emit("pause")

/**
 * Node reads all dropped input into this buffer, up to 64 KiB at a time. With a new buffer for each read, thousands of
 * connections would create garbage faster than it is collected.
 */
const dropped = new Uint8Array(65_536)

const nothing = Buffer.alloc(0)

/** From now on, reads without the parser and drops the input. Calls back after each read. The result reads once more. */
export const dropReads = (socket: Socket, onRead: () => void): (() => void) => {
  // Node's parser detaches from the socket when a new `data` listener is added.
  socket.removeAllListeners("data").on("data", () => {})
  raw(socket)._handle?.useUserBuffer?.(dropped)
  const { push } = socket
  socket.push = (chunk) => {
    if (chunk === null) return push.call(socket, null)
    onRead()
    // Node stops reading until the stream has got the chunk.
    return false
  }
  return () => void push.call(socket, nothing)
}
