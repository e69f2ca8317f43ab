/**
 * Limits the bytes for Node's parser to as many requests as may wait.
 *
 * Node reads 64 KiB at once and parses all of it, which is 2200 requests of 30 bytes and 3.8 MB of objects. Here the parser stops
 * after the first request that has to wait; later input stays unparsed until that request runs. Otherwise the parser reads from
 * the socket directly, because passing bytes through JavaScript costs a tenth of the requests a second.
 *
 * How it stops: after an upgrade to another protocol the parser ends the message at its head and leaves the rest to its caller. A
 * following body is announced later, by an artificial head with the same length.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

/** Node calls this after a parsed head. Its result: 0 continues, 2 is an upgrade to another protocol. */
type Incoming = (request: IncomingMessage, shouldKeepAlive: boolean) => number

/** Node calls this after parsing: the number of parsed bytes, or the error. */
type Execute = (parsed: number | ParserError) => void

/** Members of Node's parse errors. */
export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

/** Node's parser, which its types leave out, by its names since Node 12. `intake.test.ts` fails if they change. */
interface Parser {
  onIncoming: Incoming
  incoming: IncomingMessage | null
  /** Whether it reads from the socket by itself. */
  readonly _consumed: boolean
  /** Names and values of the lines of a head that has not ended, beyond the last 32 lines. */
  _headers: Array<string>
  readonly execute: (bytes: Buffer) => number | ParserError
  /** A copy of the current input. */
  readonly getCurrentBuffer: () => Buffer
  readonly constructor: { readonly kOnExecute: number }
  [at: number]: Execute
}

/** Members of a socket of Node's server. */
interface ParsedSocket extends Socket {
  readonly parser?: Parser | null
  /** Whether Node itself waits until its responses were sent. */
  _paused?: boolean
}

const stop = 2

/** How many bytes of a chunked body the parser gets at once: with one-byte chunks, the work of a few ms. */
const chunksBytes = 8_192

const nothing: Buffer = Buffer.alloc(0)

/** A complete message: at its end the parser leaves the state of the other protocol, in which it would report no errors. */
const emptyHead = Buffer.from("GET / HTTP/1.1\r\n\r\n")

/** The artificial head that the parser gets before it continues after a request: with the length of its body, or without one. */
const headBehind = ({ headers }: IncomingMessage): Buffer => {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers
  if (coding !== undefined) return Buffer.from("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
  return Number(length) === 0 ? emptyHead : Buffer.from(`POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`)
}

export interface IntakeOptions {
  /** Whether the parser stops after the latest request. */
  readonly isFull: (request: IncomingMessage) => boolean
  /** The parser has stopped: {@link Intake.feed} continues. */
  readonly stopped: () => void
  /** Called with the number of parsed bytes, if the parser did not stop. */
  readonly read: (bytes: number) => void
  /** Called with the error of malformed input. */
  readonly failed: (error: ParserError) => void
}

export class Intake {
  readonly #socket: ParsedSocket
  readonly #options: IntakeOptions
  readonly #parser: Parser | undefined
  readonly #executed: Execute = () => {}
  #isStopped = false
  /** The request after whose head the parser has stopped. */
  #stoppedBehind: IncomingMessage | undefined
  #isTellingHead = false
  #isInChunks = false
  #rest = nothing
  #isFeeding = false

  constructor(socket: ParsedSocket, options: IntakeOptions) {
    this.#socket = socket
    this.#options = options
    const { parser } = socket
    // If the parser does not read from the socket directly, as with TLS, Node passes it the bytes and drops the rest.
    if (parser?._consumed !== true) return
    const { onIncoming } = parser
    const at = parser.constructor.kOnExecute
    const executed = parser[at]
    if (executed === undefined) return
    this.#parser = parser
    this.#executed = executed
    parser.onIncoming = (request, shouldKeepAlive) => this.#incoming(onIncoming, request, shouldKeepAlive)
    parser[at] = (parsed) => {
      const rest = this.#isStopped && typeof parsed === "number" ? parser.getCurrentBuffer().subarray(parsed) : undefined
      executed(parsed)
      if (rest !== undefined) this.#stopAt(rest)
      else if (typeof parsed === "number") options.read(parsed)
    }
  }

  /** Bytes that wait for the parser. */
  get bytes(): number {
    return this.#rest.length
  }

  /** Whether input waits for the parser, or is being parsed. */
  get isWaiting(): boolean {
    return this.#isFeeding || this.#rest.length > 0 || this.#stoppedBehind !== undefined
  }

  /** The number of names and values that the parser keeps of a head that has not ended. */
  get headTexts(): number {
    return this.#parser?._headers.length ?? 0
  }

  /** Whether the waiting input begins with a chunked body. */
  get hasChunks(): boolean {
    return this.#isInChunks || this.#stoppedBehind?.headers["transfer-encoding"] !== undefined
  }

  /** Whether a request is RTSP, which Node's parser accepts too. Only the raw bytes show it, if the last read has them. */
  isRtsp({ method = "", url = "" }: IncomingMessage): boolean {
    return this.#parser?.getCurrentBuffer().includes(`${method} ${url} RTSP/`) === true
  }

  /** Passes waiting input to the parser, until it stops again. */
  feed(): void {
    const parser = this.#parser
    // Node detaches the parser from a closing connection, and pauses while its own responses wait: then it resumes the socket.
    const isMine = parser !== undefined && this.#socket.parser === parser && !this.#socket.destroyed
    if (!isMine || this.#socket._paused === true || !this.isWaiting || this.#isFeeding) return
    this.#isFeeding = true
    try {
      this.#feed(parser)
    } finally {
      this.#isFeeding = false
    }
  }

  #feed(parser: Parser): void {
    const hasChunks = this.hasChunks
    const request = this.#stoppedBehind
    if (request !== undefined) {
      this.#stoppedBehind = undefined
      const head = headBehind(request)
      this.#isTellingHead = true
      parser.execute(head)
      this.#isTellingHead = false
      if (head !== emptyHead) parser.incoming = request
    }
    const all = this.#rest
    const bytes = hasChunks ? all.subarray(0, chunksBytes) : all
    this.#rest = all.subarray(bytes.length)
    this.#isInChunks = hasChunks && this.#rest.length > 0
    if (bytes.length === 0) return
    const parsed = parser.execute(bytes)
    if (typeof parsed === "number") {
      const isStopped = this.#isStopped
      this.#executed(parsed)
      if (isStopped) this.#stopAt(all.subarray(parsed))
      else this.#options.read(parsed)
    } else {
      parsed.rawPacket = bytes
      this.#options.failed(parsed)
    }
  }

  /** Drops waiting input, and resumes a socket that Node has paused. */
  drop(): void {
    this.#socket._paused = false
    // Node gives the parser of a closed connection to another one.
    if (this.#parser !== undefined && this.#socket.parser === this.#parser) this.#parser._headers = []
    this.#rest = nothing
    this.#isInChunks = false
    this.#stoppedBehind = undefined
  }

  #incoming(onIncoming: Incoming, request: IncomingMessage, shouldKeepAlive: boolean): number {
    if (this.#isTellingHead) {
      // Safe: a parser calls it.
      if (this.#parser !== undefined) this.#parser.incoming = null
      return 0
    }
    const result = onIncoming(request, shouldKeepAlive)
    // After the last request of a connection the parser accepts nothing and need not stop.
    if (result !== 0 || !shouldKeepAlive || this.#parser?._consumed !== true || !this.#options.isFull(request)) return result
    this.#stoppedBehind = request
    // Keeps the request from ending without its body.
    if (headBehind(request) !== emptyHead) this.#parser.incoming = null
    this.#isStopped = true
    return stop
  }

  #stopAt(rest: Buffer): void {
    this.#isStopped = false
    this.#isInChunks = false
    // A short rest must not retain the long read that it came from.
    this.#rest = rest.length < rest.buffer.byteLength / 2 ? Buffer.from(rest) : rest
    this.#options.stopped()
  }
}
