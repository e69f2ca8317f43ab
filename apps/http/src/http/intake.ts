/**
 * Stops Node's parser as soon as a request has to wait.
 *
 * Node reads 64 KiB at once and parses all of it: up to 2200 requests of 30 bytes, and 3.8 MB of objects. Here, the parser stops
 * after the first request that has to wait, and later input stays unparsed until that request runs. At other times the parser
 * reads from the socket directly, because passing the bytes through JavaScript would cost a tenth of the throughput.
 *
 * To stop the parser, this module reports an upgrade to another protocol. The parser then ends the message at its head and leaves
 * the rest to its caller. If a body follows, an artificial head with the same length announces it later.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

/** Node calls this after parsing a head. The result 0 means continue, and 2 means an upgrade to another protocol. */
type Incoming = (request: IncomingMessage, shouldKeepAlive: boolean) => number

/** Node calls this after parsing, with the number of parsed bytes or the error. */
type Execute = (parsed: number | ParserError) => void

export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

/** Node's parser, not in Node's types. These names have existed since Node 12, and `intake.test.ts` fails if they change. */
interface Parser {
  onIncoming: Incoming
  incoming: IncomingMessage | null
  /** Whether the parser reads directly from the socket. */
  readonly _consumed: boolean
  /** Names and values of the header lines in an unfinished head, except for the last 32 lines. */
  _headers: Array<string>
  readonly execute: (bytes: Buffer) => number | ParserError
  /** A copy of the current input. */
  readonly getCurrentBuffer: () => Buffer
  readonly constructor: { readonly kOnExecute: number }
  [at: number]: Execute
}

/** Members of a socket in Node's server. */
interface ParsedSocket extends Socket {
  readonly parser?: Parser | null
  /** Whether Node itself waits until its responses have been sent. */
  _paused?: boolean
}

const stop = 2

/** How many bytes of a chunked body the parser gets at once. As one-byte chunks, they take the parser a few ms. */
const chunksBytes = 8_192

const nothing: Buffer = Buffer.alloc(0)

/** A complete message. At its end, the parser leaves the state for another protocol, which does not report errors. */
const emptyHead = Buffer.from("GET / HTTP/1.1\r\n\r\n")

/** The head that lets the parser continue after a request. It announces the request's body, if there is one. */
const artificialHeadAfter = ({ headers }: IncomingMessage): Buffer => {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers
  if (coding !== undefined) return Buffer.from("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
  return Number(length) === 0 ? emptyHead : Buffer.from(`POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`)
}

interface IntakeOptions {
  /** Whether the parser stops after the latest request. */
  readonly isFull: (request: IncomingMessage) => boolean
  /** Whether the input after that request is kept. Keeping it copies the whole read, 64 KiB. */
  readonly keepsInput: () => boolean
  /** Called when the parser has stopped. {@link Intake.feed} lets it continue, but only if the input was kept. */
  readonly stopped: (isKept: boolean) => void
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
  /** The parser has stopped after this request's head. */
  #stoppedBehind: IncomingMessage | undefined
  #isTellingHead = false
  #isInChunks = false
  #rest = nothing
  #isFeeding = false

  constructor(socket: ParsedSocket, options: IntakeOptions) {
    this.#socket = socket
    this.#options = options
    const { parser } = socket
    // If the parser does not read from the socket directly, as with TLS, Node passes the bytes to the parser and drops the rest.
    if (parser?._consumed !== true) return
    const { onIncoming } = parser
    const at = parser.constructor.kOnExecute
    const executed = parser[at]
    if (executed === undefined) return
    this.#parser = parser
    this.#executed = executed
    parser.onIncoming = (request, shouldKeepAlive) => this.#incoming(onIncoming, request, shouldKeepAlive)
    parser[at] = (parsed) => {
      const isStopped = this.#isStopped && typeof parsed === "number"
      const rest = isStopped && options.keepsInput() ? parser.getCurrentBuffer().subarray(parsed) : undefined
      executed(parsed)
      if (isStopped) this.#stopAt(rest)
      else if (typeof parsed === "number") options.read(parsed)
    }
  }

  /** The number of bytes that wait for the parser. */
  get bytes(): number {
    return this.#rest.length
  }

  /** Whether input waits for the parser, or is being parsed. */
  get isWaiting(): boolean {
    return this.#isFeeding || this.#rest.length > 0 || this.#stoppedBehind !== undefined
  }

  /** The number of names and values in an unfinished head that the parser keeps. */
  get headTexts(): number {
    return this.#parser?._headers.length ?? 0
  }

  /** Whether the waiting input begins with a chunked body. */
  get hasChunks(): boolean {
    return this.#isInChunks || this.#stoppedBehind?.headers["transfer-encoding"] !== undefined
  }

  /** Whether a request is RTSP, which Node's parser also accepts. Only the raw bytes of the last read show this. */
  isRtsp({ method = "", url = "" }: IncomingMessage): boolean {
    return this.#parser?.getCurrentBuffer().includes(`${method} ${url} RTSP/`) === true
  }

  /** Passes waiting input to the parser until it stops again. */
  feed(): void {
    const parser = this.#parser
    // Node detaches a closing connection's parser. Node also pauses the socket while responses wait, and later resumes it.
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
      const head = artificialHeadAfter(request)
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
    // Node reuses the parser of a closed connection for another one.
    if (this.#parser !== undefined && this.#socket.parser === this.#parser) this.#parser._headers = []
    this.#rest = nothing
    this.#isInChunks = false
    this.#stoppedBehind = undefined
  }

  #incoming(onIncoming: Incoming, request: IncomingMessage, shouldKeepAlive: boolean): number {
    if (this.#isTellingHead) {
      // Safe: only a parser calls this.
      if (this.#parser !== undefined) this.#parser.incoming = null
      return 0
    }
    const result = onIncoming(request, shouldKeepAlive)
    // After a connection's last request, the parser accepts nothing more and need not stop.
    if (result !== 0 || !shouldKeepAlive || this.#parser?._consumed !== true || !this.#options.isFull(request)) return result
    this.#stoppedBehind = request
    // Keeps the request from ending without its body.
    if (artificialHeadAfter(request) !== emptyHead) this.#parser.incoming = null
    this.#isStopped = true
    return stop
  }

  #stopAt(input: Buffer | undefined): void {
    const rest = input ?? nothing
    this.#isStopped = false
    this.#isInChunks = false
    // A short rest must not retain the long read that it came from.
    this.#rest = rest.length < rest.buffer.byteLength / 2 ? Buffer.from(rest) : rest
    this.#options.stopped(input !== undefined)
  }
}
