/**
 * What Node's parser gets of the bytes of a connection: no more requests than may wait.
 *
 * Node reads 64 KiB at once and parses all of it, which is 2200 requests of 30 bytes and 3.8 MB of objects. Here the parser
 * stops behind the first request that has to wait; the bytes behind it stay bytes until it runs. Until then
 * Node's parser reads from the socket by itself: bytes that pass through JavaScript cost a tenth of the requests a second.
 *
 * How it stops: a parser that is told of another protocol ends the message at its head and leaves what follows to its caller.
 * A body that follows is told to the parser later, by a head of ours with the same length.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

/** What Node calls after a head was parsed. Its result: 0 goes on, 2 is for another protocol. */
type Incoming = (request: IncomingMessage, shouldKeepAlive: boolean) => number

/** What Node calls after bytes were parsed: how many, or why they could not be. */
type Execute = (parsed: number | ParserError) => void

/** What Node adds to the error of a message that it could not parse. */
export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

/** Node's parser, which its types leave out: by the names it has had since Node 12. `intake.test.ts` fails where they change. */
interface Parser {
  onIncoming: Incoming
  incoming: IncomingMessage | null
  /** Whether it reads from the socket by itself. */
  readonly _consumed: boolean
  readonly execute: (bytes: Buffer) => number | ParserError
  /** A copy of what is being parsed. */
  readonly getCurrentBuffer: () => Buffer
  readonly constructor: { readonly kOnExecute: number }
  [at: number]: Execute
}

/** What Node adds to a socket of its server. */
interface ParsedSocket extends Socket {
  readonly parser?: Parser | null
  /** Whether Node itself waits until its answers have left. */
  _paused?: boolean
}

const stop = 2

/** How many bytes of a body in chunks the parser gets at once: of one-byte chunks as many as it takes for a few ms. */
const chunksBytes = 8_192

const nothing: Buffer = Buffer.alloc(0)

/** A whole message: by its end the parser has forgotten the other protocol, behind which it would be silent about errors. */
const emptyHead = Buffer.from("GET / HTTP/1.1\r\n\r\n")

/** What the parser is told before it goes on behind a request: that a body of its length follows, or nothing. */
const headBehind = ({ headers }: IncomingMessage): Buffer => {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers
  if (coding !== undefined) return Buffer.from("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
  return Number(length) === 0 ? emptyHead : Buffer.from(`POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`)
}

export interface IntakeOptions {
  /** Whether the parser stops behind the request that was just taken. */
  readonly isFull: (request: IncomingMessage) => boolean
  /** The parser has stopped: {@link Intake.feed} goes on. */
  readonly stopped: () => void
  /** What was fed could not be parsed. */
  readonly failed: (error: ParserError) => void
}

export class Intake {
  readonly #socket: ParsedSocket
  readonly #options: IntakeOptions
  readonly #parser: Parser | undefined
  readonly #executed: Execute = () => {}
  #isStopped = false
  /** The request behind whose head the parser has stopped. */
  #stoppedBehind: IncomingMessage | undefined
  #isTellingHead = false
  #isInChunks = false
  #rest = nothing
  #isFeeding = false

  constructor(socket: ParsedSocket, options: IntakeOptions) {
    this.#socket = socket
    this.#options = options
    const { parser } = socket
    // Where the parser does not read by itself, as behind TLS, Node hands it the bytes and drops what it leaves.
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
    }
  }

  /** Bytes that wait for the parser. */
  get bytes(): number {
    return this.#rest.length
  }

  /** Whether something is left for the parser, or is with it now. */
  get isWaiting(): boolean {
    return this.#isFeeding || this.#rest.length > 0 || this.#stoppedBehind !== undefined
  }

  /** Whether what waits begins with the body of a request in chunks. */
  get hasChunks(): boolean {
    return this.#isInChunks || this.#stoppedBehind?.headers["transfer-encoding"] !== undefined
  }

  /** Whether a request is one of RTSP, which Node's parser takes as well. Only its own bytes tell, if the last read has them. */
  isRtsp({ method = "", url = "" }: IncomingMessage): boolean {
    return this.#parser?.getCurrentBuffer().includes(`${method} ${url} RTSP/`) === true
  }

  /** Gives the parser what waits, until it stops again. */
  feed(): void {
    const parser = this.#parser
    // Node takes the parser from a connection that closes, and pauses it while its own answers wait: it resumes the socket behind that.
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
    } else {
      parsed.rawPacket = bytes
      this.#options.failed(parsed)
    }
  }

  /** Forgets what waits, and lets go of a socket whose reading Node has stopped. */
  drop(): void {
    this.#socket._paused = false
    this.#rest = nothing
    this.#isInChunks = false
    this.#stoppedBehind = undefined
  }

  #incoming(onIncoming: Incoming, request: IncomingMessage, shouldKeepAlive: boolean): number {
    if (this.#isTellingHead) {
      // Safe: it is a parser that calls.
      if (this.#parser !== undefined) this.#parser.incoming = null
      return 0
    }
    const result = onIncoming(request, shouldKeepAlive)
    // Behind the last request of a connection the parser takes nothing, and goes nowhere from a stop.
    if (result !== 0 || !shouldKeepAlive || this.#parser?._consumed !== true || !this.#options.isFull(request)) return result
    this.#stoppedBehind = request
    // So that it does not end without its body.
    if (headBehind(request) !== emptyHead) this.#parser.incoming = null
    this.#isStopped = true
    return stop
  }

  #stopAt(rest: Buffer): void {
    this.#isStopped = false
    this.#isInChunks = false
    // A short rest must not keep the long read that it was part of.
    this.#rest = rest.length < rest.buffer.byteLength / 2 ? Buffer.from(rest) : rest
    this.#options.stopped()
  }
}
